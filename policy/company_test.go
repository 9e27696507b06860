package policy

import (
	"strings"
	"testing"
)

// The example of docs/policy.md: three teams, two tenants, five tools.
func TestCompanyExample(t *testing.T) {
	type block struct {
		applies     func(k Key) bool
		allow, deny []string
	}
	team := func(name string) func(Key) bool {
		return func(k Key) bool { return strings.HasSuffix(k.Name, "-"+name) }
	}
	blocks := []block{
		{func(Key) bool { return true }, []string{"search_orders"}, nil},
		{team("support"), []string{"get_order"}, nil},
		{team("analysts"), []string{"get_order", "export_report", "fetch_page"}, nil},
		{team("ops"), []string{"*"}, nil},
		{func(k Key) bool { return k.Tenant == "globex" }, nil, []string{"refund_order"}},
	}
	all := []string{"search_orders", "get_order", "refund_order", "export_report", "fetch_page"}
	var f KeyFile
	var data strings.Builder
	want := map[string]string{
		"acme-support":    "search_orders get_order",
		"acme-analysts":   "search_orders get_order export_report fetch_page",
		"acme-ops":        strings.Join(all, " "),
		"globex-support":  "search_orders get_order",
		"globex-analysts": "search_orders get_order export_report fetch_page",
		"globex-ops":      "search_orders get_order export_report fetch_page",
		"acme-intern":     "search_orders",
	}
	for name := range want {
		tenant, _, _ := strings.Cut(name, "-")
		data.WriteString(keyLine(name, "token of "+name, "tenant="+tenant))
	}
	if err := f.Reload([]byte(data.String())); err != nil {
		t.Fatal(err)
	}
	for name, sees := range want {
		key, ok := f.Lookup("token of "+name, keyDay)
		if !ok {
			t.Fatalf("%s is unknown", name)
		}
		tools := Tools{Only: key.Tools}
		for _, b := range blocks {
			if b.applies(key) {
				tools.Views = append(tools.Views, view(t, b.allow, b.deny))
			}
		}
		var got []string
		for _, tool := range all {
			if tools.Visible(tool) {
				got = append(got, tool)
			}
		}
		if s := strings.Join(got, " "); s != sees {
			t.Errorf("%s sees %s, want %s", name, s, sees)
		}
	}
}
