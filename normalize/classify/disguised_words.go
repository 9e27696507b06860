package classify

// hard are beginnings that no content has; what follows does not matter.
var hard = []string{"error:", "error -", "error –", "error —", "error occurred", "an error occurred", "an error has occurred", "error while", "error during", "error when", "error from", "error in tool", "error response",
	"error executing", "error calling", "error fetching", "error retrieving", "error getting", "error processing", "error searching", "error listing", "error reading", "error writing", "error creating",
	"error updating", "error deleting", "error sending", "error connecting", "error running", "error loading", "error querying", "error parsing", "error invoking", "error opening", "error downloading",
	"error uploading", "error performing", "error accessing", "error making", "error adding", "error removing", "error setting", "error saving", "error finding", "error generating", "error analyzing",
	"error converting", "error scraping", "error navigating", "error extracting", "error communicating", "error starting", "error initializing", "error moving", "error copying", "error closing", "error calculating",
	"error [", "error (", "[error]", "**error", "<error>", "<tool_use_error>", "### error", "## error\n", "# error\n", "mcp error", "api error", "tool error", "unexpected error", "unexpected error in ", "internal error", "database error", "network error", "fatal error", "query error", "server error",
	"runtime error", "validation error", "http error", "system error", "connection error", "authentication error", "request error", "execution error", "sql error", "parse error", "syntax error", "traceback (most recent call last)", "uncaught ", "unhandled exception", "exception:",
	"exception occurred", "fatal:", "panic:", "failed:", "failure:", "failed to ", "failed while", "tool execution failed", "tool execution timed out", "operation failed", "request failed", "query failed", "command failed",
	"execution failed", "connection failed", "connection refused", "authentication failed", "authentication required", "internal server error", "unknown tool", "unsupported operation",
	"错误:", "错误：", "出错", "发生错误", "失败:", "失败：", "执行失败", "操作失败", "请求失败", "查询失败", "调用失败", "エラー:", "エラー：", "エラーが発生", "오류:", "오류가 발생", "에러:", "fehler:", "fehler beim", "erreur:", "erreur :", "erreur lors",
	"error al ", "error en ", "erro:", "erro ao", "errore:", "ошибка:", "ошибка при", "fout:", "hata:"}

// soft are beginnings that content may have too; the text has to be short and
// the catalogue has to know it.
var soft = []string{"unable to ", "could not ", "couldn't ", "cannot ", "can't ", "access denied", "access forbidden", "permission denied", "unauthorized", "not authorized", "forbidden", "invalid ", "missing required",
	"rate limit exceeded", "rate limit reached", "rate limit hit", "rate limited", "api rate limit exceeded", "rate-limited", "too many requests", "you have been rate limited", "you are being rate limited", "you have exceeded", "you've exceeded", "quota exceeded",
	"request timed out", "request timeout", "timed out", "timeout after", "timeout waiting", "connection timed out", "operation timed out", "the operation timed out", "the request timed out", "tool timed out", "request was",
	"session expired", "session not found", "your session has expired", "token expired", "token has expired", "api key", "no api key", "not authenticated", "you are not authorized", "you do not have permission", "you don't have permission", "insufficient permissions",
	"file not found", "path not found", "directory not found", "tool not found", "resource not found:", "no such file", "service unavailable", "bad gateway", "gateway timeout", "bad request", "not found:", "404 not found", "500 internal", "502 bad", "503 service", "504 gateway", "401 unauthorized", "403 forbidden",
	"429 too many", "http 4", "http 5", "http error 4", "http error 5", "status code 4", "status code 5", "status code: 4", "status code: 5", "error 4", "error 5", "fetch failed", "connect econn", "getaddrinfo ", "enoent", "eacces", "eperm", "econn", "etimedout", "socket hang up",
	"the server returned", "server returned", "the service is currently", "service temporarily", "something went wrong", "oops", "security violation", "security error", "policy violation", "access violation", "must provide ", "please specify ", "please provide ", "must specify ", "sorry, an error", "no valid", "not connected", "not logged in", "please authenticate", "please log in", "authentication is required",
	"数据库连接失败", "无法", "权限不足", "超时", "请求超时", "连接超时", "无效的", "参数错误", "未授权"}
