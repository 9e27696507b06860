package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// duplicateCauses: a value that must be unique is there already. The words for it
// name the product, and often the index and the value.
var duplicateCauses = []cause{
	{id: "argument.duplicate", tier: tierMeaning, code: envelope.BadRequest, quiet: true,
		lead: sanitize.Const("Validation Error: a record with these values already exists (duplicate key or unique constraint)."), phrases: `
		duplicate key value | duplicate key error | duplicate entry…for key | er_dup_entry | er_dup_unique | e11000 | 23505 | unique_violation | uniqueviolation | unique constraint
		unique constraint failed | violates unique constraint | violation of unique key constraint | violation of primary key constraint | cannot insert duplicate key | ora-00001 | sqlite_constraint_unique
		integrity constraint violation: 1062`},
}
