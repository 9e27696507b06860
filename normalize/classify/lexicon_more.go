package classify

import (
	"strings"

	"github.com/caddymcp/gateway/normalize/sanitize"
)

// productWords are names of services, programs and systems that servers are made
// for, all constants of this program: "Not connected to WhatsApp" says what to
// connect.
var productWords = words(sanitize.Word,
	"WhatsApp", "Signal", "Unity", "Unreal", "Godot", "Xcode", "xcodebuild", "iOS", "macOS", "Android", "Windows", "Linux", "IDE", "JetBrains", "IntelliJ", "VS", "Snowflake", "BigQuery", "Databricks", "Redshift",
	"Airtable", "HubSpot", "Zendesk", "Zapier", "Shopify", "Spotify", "YouTube", "LinkedIn", "Reddit", "Facebook", "Instagram", "TikTok", "Gmail", "Outlook", "SharePoint", "OneDrive", "Dropbox",
	"Obsidian", "Ghidra", "IDA", "Photoshop", "Excel", "PowerPoint", "PDF", "CSV", "XML", "YAML", "TOML", "HTML", "Terraform", "Ansible", "Pulumi", "Helm", "ArgoCD", "Prometheus", "Datadog", "PagerDuty", "Loki",
	"Qdrant", "Pinecone", "Milvus", "Weaviate", "Chroma", "Neo4j", "Cypher", "ClickHouse", "DuckDB", "Couchbase", "Cassandra", "DynamoDB", "Oracle", "MariaDB", "Kafka", "RabbitMQ", "OpenSearch", "Kibana", "Splunk",
	"CloudWatch", "EC2", "ECS", "EKS", "IAM", "RDS", "SNS", "SQS", "GCP", "Gemini", "GPT", "Ollama", "Replicate", "ElevenLabs", "Tavily", "Exa", "Firecrawl", "Apify", "Playwright", "Puppeteer",
	"Selenium", "Safari", "Firefox", "WebDriver", "Appium", "ADB", "Vercel", "Netlify", "Heroku", "Supabase", "Firebase", "PlanetScale", "Okta", "Keycloak", "Twilio", "SendGrid", "Mailgun", "Mailchimp",
	"QuickBooks", "Xero", "PayPal", "Plaid", "Coinbase", "Binance", "Ethereum", "Bitcoin", "Solana", "Trello", "Asana", "ClickUp", "Todoist", "Miro", "Canva", "Webflow", "WordPress", "Contentful",
	"Intercom", "ServiceNow", "Microsoft", "Zoom", "Bluetooth", "FFmpeg", "ImageMagick", "Node.js", "Python", "Java", "npm", "pip", "Homebrew", "HTTP/2", "gRPC", "IMAP", "SMTP", "LDAP", "SSH", "SFTP", "FTP", "VPN", "MFA", "2FA",
	"SAML", "SSO", "OIDC", "IAP", "JQL", "SOQL", "GraphQL", "PromQL", "KQL", "JMESPath", "JSONPath", "XPath", "CSS", "DOM", "CORS", "CDN", "S3", "USB", "GPU", "CPU", "RAM", "GitOps", "webhook", "webhooks", "subgraph")

// plainWords are further words of reports: what a thing is, what became of it, and
// how. Verbs stand in the forms that report, not in those that order.
var plainWords = words(sanitize.Word,
	"absolute", "absence", "across", "advanced", "algorithm", "algorithms", "alone", "analysis", "analytics", "annotations", "anymore", "anyway", "appears", "applicable", "area", "areas", "atomic", "attempted", "attempting", "automatically",
	"available", "balance", "balances", "behavior", "behaviour", "bindings", "blocking", "bot", "breakpoint", "breakpoints", "bridge", "bug", "builder", "built", "busy", "buying", "cached", "caching", "callback", "cancellation",
	"candidate", "candidates", "capabilities", "capability", "captured", "catalog", "catalogue", "categories", "causing", "certificates", "changed", "changing", "cleanly", "closure", "coerced", "collected", "collector",
	"combined", "combination", "combinations", "communicating", "communication", "compatibility", "compatible", "completion", "complex", "conditional", "confirmed", "connected", "connector", "connectors", "constraints", "consumer", "continuation", "conversation", "cooldown", "coordinates",
	"corrected", "correctly", "cost", "costs", "crawled", "currently", "customized", "dataframe", "debugging", "deferred", "deletion", "deletions", "delivered", "dependencies", "dependency", "deprecated", "desktop", "detached", "detailed", "detected", "detecting", "detection",
	"diagnostics", "dimensionality", "dimensions", "directly", "dirty", "discovered", "displayed", "disposed", "edited", "editing", "effect", "elevated", "embed", "encrypted", "encryption", "enforced", "entity", "entities", "established", "establishing", "evicted", "exceeds", "excluded", "exhaustion", "exiting", "explicitly", "exporter", "exposed", "extracted", "extracting",
	"falls", "fast", "fee", "fees", "filtered", "foreign", "formula", "fragment", "fragments", "fresh", "frontend", "frontmatter", "frame", "frames", "funds", "fuzzy", "gas", "gate", "geocoding", "globally", "hard", "head", "headings", "health", "healthy", "identified", "identity", "imported", "inbound", "indicates", "individual", "initialised",
	"inherited", "installed", "installing", "insufficiently", "interactive", "interactively", "internally", "invalidated", "inventory", "involved", "isolated", "jailed", "joined", "kept", "lacking", "lacks", "latency", "launch", "launched", "launching", "leaving", "lengths", "license", "licence", "limited", "linked", "liquidity", "listed", "logged", "logout", "lookups", "maintained", "major", "managed", "management", "manifest", "manifests", "mapped", "mapping", "margin", "marker",
	"maximum", "measured", "mid", "middleware", "migrated", "migration", "minor", "misconfigured", "mixed", "modal", "modification", "modified", "mounted", "multiple", "muted", "naming", "negative", "nested", "nesting", "nonce", "normally", "observed", "occurred", "occurrence", "occurrences", "offset", "omitted", "opened", "operating", "operational", "original", "orphan", "outbound", "outdated", "overridden", "overview", "overwritten", "owned", "packaged", "pagination", "parser", "partially", "particular", "performance", "performed", "periodic", "permitted", "persisted", "phase", "physical", "pinned", "polling",
	"power", "predicate", "prepared", "preserved", "processes", "produced", "projection", "promoted", "proper", "properly", "protected", "protecting", "published", "purchased", "reactions", "readme", "reassigned", "rebuilt", "reconnection", "recorded", "recursive", "recursively", "redirected", "refreshed", "registering", "registries", "reloaded", "reloading", "rendered", "repaired", "repeated", "replaced", "replacement", "replacing", "reported", "reporting", "represented", "requirement", "requirements", "resized", "resolved", "restored", "restrictions", "resulting", "retained", "retried", "retrieved", "returning", "reverted", "rolled", "rotated", "rotation",
	"running", "runtime", "safely", "safety", "sampled", "sampling", "satisfied", "saved", "scheme", "schemes", "scoped", "serialization", "served", "serving", "shaped", "shared", "showing", "shutting", "signed", "similarity", "simulator", "simulators", "sized", "sizing", "skill", "skills", "slow", "slug", "span", "spans", "spelling", "stable", "standalone", "starred", "startup", "stateless", "statement", "statements", "stats", "stopped", "stored", "streaming", "stroke", "strokes", "submission", "submitted", "suite", "suites", "supervisor", "surfaced", "suspended", "switching", "symbol", "symbols", "symlink", "synced", "synchronous", "syncing", "system", "tagged", "teardown", "temporary", "terminated", "terminating", "threshold",
	"ad", "ads", "adset", "campaign", "campaigns", "creative", "creatives", "audience", "initiating", "initiated", "took", "takes", "generation", "beneficiary", "promoted", "contact", "invoice", "settlement", "settlements", "payout", "payouts", "OTP", "DQL", "dbt", "lineage", "filled", "collaborator", "collaborators", "assignee", "assignees", "recipient", "recipients", "budget", "timeframe", "artifact", "artifacts", "seed", "snapshots", "reader", "writer", "redirect", "analyzer", "analyzers", "portfolio", "portfolios", "interval", "intervals", "whole", "fractional", "lease", "leases", "quote", "quotes", "higher", "later", "enterprise", "edition", "editions", "sibling", "siblings", "parent", "parents", "children",
	"total", "tradable", "trace", "traces", "tracked", "tracking", "transaction", "transactions", "translated", "translation", "traversal", "truncated", "typed", "unassigned", "unchanged", "undeclared", "underlying", "unfinished", "unmounted", "unreadable", "unreleased", "unresolved", "unsaved", "untracked", "unusable", "unwritable", "updated", "upgraded", "uploaded", "usable", "usually", "validated", "verifier", "viable", "viewport", "visibility", "visible", "visited", "wallet", "wallets", "warehouse", "warehouses", "whitelist", "wide", "widget", "widgets", "window", "windows", "wired", "wording", "workbook", "workbooks", "worked", "working", "worksheet", "worksheets", "writable", "wrapped", "wrote", "zone", "zones", "mismatched", "ancestor", "descendant", "overwrites", "fewer", "acquisition", "mutual", "inconsistent", "shut", "cleanly", "default", "defaults", "preset", "presets", "booted", "boots", "credits")

// reported are verbs that order when they stand alone and report behind a word
// that says that it was not done: "cannot delete", "failed to send".
var reported = words(sanitize.Word, "delete", "drop", "execute", "invoke", "send", "transfer", "upload", "download", "forward", "print", "post", "follow", "override", "install", "modify", "remove", "open", "create", "move", "nest", "read", "write", "deploy", "parse", "render", "collect", "capture", "detect", "discover", "attach", "bind", "prepare", "restore", "launch", "append", "assign", "marshal", "extract", "decode", "encode", "identify", "subscribe", "switch", "merge", "boot", "assign", "invite", "determine", "establish", "acquire", "verify", "allocate", "register", "resolve", "shut")

// stems are verbs that are shown in their reporting forms alone.
var stems = wordSet(`encrypt decrypt overwrite history alter relate revert compress revoke throttle truncate synchronize rotate reuse retain withdraw escalate suspend terminate invalidate deprecate migrate
	quarantine reconcile resize rewrite subscribe interpolate serialize deserialize allocate escape normalize sanitize instantiate initialize configure customize authorize capitalize indent align`)

// inflected reports whether a word is a form of one that may be shown, which tells
// and does not order: "decrypted", "unrelated", "histories".
func inflected(low string) bool {
	if len(low) < 6 || len(low) > 16 {
		return false
	}
	for i := 0; i < len(low); i++ {
		if low[i] < 'a' || low[i] > 'z' {
			return false
		}
	}
	var forms [4]string
	n := 0
	stem := func(s string) { forms[n], n = s, n+1 }
	switch {
	case strings.HasSuffix(low, "ied"), strings.HasSuffix(low, "ies"):
		stem(low[:len(low)-3] + "y")
	case strings.HasSuffix(low, "ed"):
		stem(low[:len(low)-2])
		stem(low[:len(low)-1])
		if k := len(low) - 3; low[k] == low[k-1] {
			stem(low[:k])
		}
	case strings.HasSuffix(low, "ing"):
		stem(low[:len(low)-3])
		stem(low[:len(low)-3] + "e")
		if k := len(low) - 4; low[k] == low[k-1] {
			stem(low[:k])
		}
	case strings.HasSuffix(low, "ly"):
		stem(low[:len(low)-2])
	}
	if strings.HasPrefix(low, "un") {
		stem(low[2:])
	}
	for _, s := range forms[:n] {
		if len(s) < 4 || imperatives[s] {
			continue
		}
		if stems[s] || ownWords[s].Valid() || plainWords[s].Valid() || reported[s].Valid() {
			return true
		}
		if _, ok := sanitize.Phrase(s); ok {
			return true
		}
	}
	return false
}

// prevented reports whether the two words before a verb say that it was not done.
func prevented(before, further string) bool {
	switch before {
	case "cannot", "can't", "couldn't":
		return true
	case "not":
		return further == "could" || further == "can" || further == "did" || further == "does"
	case "to":
		return further == "failed" || further == "unable" || further == "allowed" || further == "permitted" || further == "failure" || further == "trying" || further == "permission"
	}
	return false
}

// errorHeads and errorTails are the first and the last part of a name of an error
// such as "document_not_found" or "MatchFailedError".
var (
	errorHeads = wordSet(`invalid missing unknown unsupported unexpected expired no not too bad incorrect insufficient illegal malformed duplicate exceeded err error already`)
	errorTails = wordSet(`found error errors exception failed failure denied exceeded required expired invalid missing unavailable timeout reached exists exist unauthorized unauthenticated forbidden refused disabled mismatch
		limited unsupported blocked closed busy conflict empty malformed throttled locked suspended archived revoked allowed permitted supported request argument arguments parameter params grant client scope fault`)
)

// errorName returns a compound that names an error and whose parts
// may all be shown: words joined by "_", or words of which each begins with a
// capital.
func (k known) errorName(tok string) run {
	if len(tok) < 8 || len(tok) > 48 {
		return nil
	}
	var parts []string
	if strings.IndexByte(tok, '_') > 0 {
		parts = strings.Split(tok, "_")
	} else {
		for at, i := 0, 1; i <= len(tok); i++ {
			if i == len(tok) || tok[i] >= 'A' && tok[i] <= 'Z' && !(tok[i-1] >= 'A' && tok[i-1] <= 'Z') {
				parts = append(parts, tok[at:i])
				at = i
			}
		}
	}
	if n := len(parts); n < 2 || n > 6 || !errorTails[lower(parts[n-1])] && !errorHeads[lower(parts[0])] {
		return nil
	}
	for _, p := range parts {
		if p == "" {
			return nil
		}
		if _, ok := k.word(p); !ok {
			return nil
		}
	}
	if tok == strings.ToUpper(tok) {
		tok = lower(tok) // no name of an environment variable
	}
	if s, ok := sanitize.Ident(tok); ok {
		return one(s)
	}
	return nil
}
