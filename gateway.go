package gateway

import (
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	_ "github.com/dustin/go-humanize"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "github.com/tidwall/gjson"
	_ "github.com/tidwall/sjson"
	_ "go.uber.org/zap"
	_ "golang.org/x/net/idna"
	_ "golang.org/x/text/unicode/norm"
)
