package caddymodule

import (
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/caddymcp/gateway/policy"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "mcp-key",
		Usage: "new <name> [--tenant <name>] [--rpm <n>] [--concurrency <n>] [--tools <pattern|…>] [--expires <date>]",
		Short: "Makes keys for the MCP gateway",
		Long: `
Makes a key for "auth keys <file>" of the mcp_gateway directive.

"caddy mcp-key new <name>" prints the key and the line for the file. The key is
shown once and stands nowhere else: the file holds its SHA-256.
`,
		CobraFunc: func(cmd *cobra.Command) { cmd.AddCommand(newKeyCommand()) },
	})
}

func newKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new <name>",
		Short: "Makes a key and prints it once, with the line for the file",
		Args:  cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.String("tenant", "", "Tenant of the key")
	f.Int("rpm", 0, "Requests per minute, for {http.auth.user.rpm}")
	f.Int("concurrency", 0, "Calls at a time, for {http.auth.user.concurrency}")
	f.String("tools", "", "The only tools that the key sees: patterns, separated by |")
	f.String("expires", "", "Date (2027-01-31) or time (2027-01-31T12:00:00Z) at which the key ends")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o := keyOptions{name: args[0]}
		o.tenant, _ = f.GetString("tenant")
		o.rpm, _ = f.GetInt("rpm")
		o.concurrency, _ = f.GetInt("concurrency")
		o.tools, _ = f.GetString("tools")
		o.expires, _ = f.GetString("expires")
		return printKey(cmd.OutOrStdout(), o, rand.Reader)
	}
	return cmd
}

type keyOptions struct {
	name, tenant, tools, expires string
	rpm, concurrency             int
}

// printKey makes a key. What it prints for the file is what the file takes.
func printKey(w io.Writer, o keyOptions, random io.Reader) error {
	token, line, err := policy.NewKey(o.name, random)
	if err != nil {
		return err
	}
	var attributes []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			attributes = append(attributes, name+"="+value)
		}
	}
	add("tenant", o.tenant)
	add("rpm", strconv.Itoa(o.rpm))
	add("concurrency", strconv.Itoa(o.concurrency))
	add("tools", o.tools)
	add("expires", o.expires)
	for _, a := range attributes {
		if strings.ContainsAny(a, ",\r\n") {
			return fmt.Errorf("%q: a comma or a line break cannot stand in an attribute", a)
		}
	}
	if len(attributes) > 0 {
		line += ":" + strings.Join(attributes, ",")
	}
	var check policy.KeyFile
	if err := check.Reload([]byte(line)); err != nil {
		return fmt.Errorf("the attributes make no valid line: %w", err)
	}
	_, err = fmt.Fprintf(w, "Key, shown this once:\n%s\n\nLine for the file:\n%s\n", token, line)
	return err
}
