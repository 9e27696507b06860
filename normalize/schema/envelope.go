package schema

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/envelope"
)

// branchSchema is the envelope as far as an output schema needs it: enough to
// tell it from a result, short because it stands in every tool.
var branchSchema = `{"type":"object","required":["service","code","error_class","sanitized_error"],"properties":{` +
	`"service":{"type":"string"},"code":{"enum":` + words(codeNames()) + `},` +
	`"error_class":{"enum":` + words(classNames()) + `},"sanitized_error":{"type":"string"}}}`

// envelopeSchema describes the whole envelope.
var envelopeSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"required":["service","code","error_class","error","sanitized_error"],"properties":{` +
	`"service":{"type":"string"},"code":{"enum":` + words(codeNames()) + `},` +
	`"error_class":{"enum":` + words(classNames()) + `},` +
	`"error":{"type":"string","maxLength":600},"sanitized_error":{"type":"string","maxLength":600},` +
	`"status":{"type":"integer","minimum":100,"maximum":599},"retryAfter":{"type":"integer","minimum":1},` +
	`"current":{"type":"object","required":["concurrency","rpm"],"properties":{"concurrency":{"type":"integer","minimum":0},"rpm":{"type":"integer","minimum":0}}},` +
	`"limits":{"type":"object","required":["maxConcurrency","maxRpm"],"properties":{"maxConcurrency":{"type":"integer","minimum":0},"maxRpm":{"type":"integer","minimum":0}}},` +
	`"retry_hint":{"type":"object","required":["retry_after_ms","max_attempts","backoff","jitter"],"properties":{` +
	`"retry_after_ms":{"type":"integer","minimum":0},"max_attempts":{"type":"integer","minimum":0},` +
	`"backoff":{"enum":` + words([]string{envelope.Fixed, envelope.Exponential}) + `},"jitter":{"type":"number","minimum":0,"exclusiveMaximum":1}}},` +
	`"suggestion":{"type":"object","required":["tool"],"properties":{"tool":{"type":"string"}}}}}`

// EnvelopeSchema returns the JSON Schema (2020-12) of the envelope. Fields that
// it does not know are admitted, so that clients survive additions.
func EnvelopeSchema() []byte { return []byte(envelopeSchema) }

func codeNames() []string {
	codes := envelope.Codes()
	out := make([]string, len(codes))
	for i, c := range codes {
		out[i] = string(c)
	}
	return out
}

func classNames() []string {
	var out []string
	for _, c := range []envelope.Class{envelope.Validation, envelope.Permission, envelope.Retryable, envelope.Dependency, envelope.Terminal} {
		out = append(out, string(c))
	}
	return out
}

// words writes names, which are plain constants, as a JSON array.
func words(names []string) string {
	return `["` + strings.Join(names, `","`) + `"]`
}
