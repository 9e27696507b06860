package classify

import (
	"github.com/caddymcp/gateway/normalize/envelope"
	"github.com/caddymcp/gateway/normalize/sanitize"
)

// infraCauses: what lies between the tool and its service.
var infraCauses = []cause{
	{id: "local.setting", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadSetting, advice: adviceSetting, phrases: `
		required environment variable | environment variable is not set | environment variable not set | environment variable is not defined | environment variable is missing | environment variable missing
		environment variables are not set | environment variables not set | environment variables are missing | missing environment variable | missing environment variables | missing required environment*
		set…environment variable | configuration is missing | configuration missing | server is not configured | missing server configuration | no configuration found`, unless: `
		*_token | *_api_key | *_key | *_secret | *_password | *_pat | *_apikey | *_credentials | api key | token | password | credentials | secret`},
	{id: "local.missing", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadMissing, advice: adviceInstall, phrases: `
		not found. please install | not found, please install | not found; please install | or higher is required | or newer is required | or later is required |
		need to install | needs to be installed | must be installed | could not find executable | requires xcode | no such file or directory: 'ffmpeg' | no such file or directory: 'git' | no such file or directory: 'docker' | spawn…enoent | is not there on the server | not present on the server | not on this machine | not on the host | not on this host | could not be started | could not be launched | cannot be started | couldn't be started | was not found on it | not on the path | not in path | not found in path | not in your path | not in $path | spawnsync…enoent | spawn e2big | executable file not found | executable was not found | executable is missing | executable missing | binary was not found | browsers are not installed | executable not found | executable doesn't exist
		executable does not exist | command not found | could not find chrome | could not find chromium | could not find google chrome
		could not find browser | chrome failed to start | failed to launch the browser | failed to launch browser | failed to launch chrome
		browser is not installed | browser not installed | browser not found | chromium distribution | distribution…is not found | playwright install
		puppeteer browsers install | chromedriver | geckodriver | unable to obtain driver | cannot find module | cannot find package | err_module_not_found
		module_not_found | modulenotfounderror | no module named | importerror | cannot import name | classnotfoundexception | noclassdeffounderror
		could not load file or assembly | cannot load such file | is not recognized as an internal or external command | no such command available
		not installed | isn't installed | is not installed | please install | install the required | install with | install it | driver missing | driver is missing | binary is missing | library is missing | missing dependency | dependency missing | dependency is missing | dependencies missing | dependencies are missing | missing dependencies | missing optional dependency | dll load failed
		shared object file | cannot open shared object | error while loading shared libraries | unsatisfiedlinkerror | no such executable | binary not found
		binary is missing | docker is not running | is the docker daemon running | cannot connect to the docker daemon | docker daemon is not running`},
	{id: "net.timeout", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Retryable, lead: leadTimeout, advice: adviceSmaller, phrases: `
		polling exceeded | exceeded maximum attempts | exceeded the maximum number of attempts | maximum polling | timed out | timed-out | time out | timedout | timeout | timeouts | time-out | timeout_error | request_timeout | gateway_timeout | upstream_timeout
		timeoutexpired | *timeouterror | *timeoutexception | *timedoutexception | *timeoutexceeded | connecttimeout* | connectiontimeout* | readtimeout*
		writetimeout* | sockettimeout* | requesttimeout* | etimedout | esockettimedout | econnaborted | und_err_connect_timeout | und_err_headers_timeout
		und_err_body_timeout | err_timed_out | err_connection_timed_out | deadline exceeded | deadline_exceeded | deadlineexceeded | deadline has elapsed
		deadline expired | deadline was exceeded | operation was aborted | operation was canceled | operation was cancelled | operation timed
		this operation was aborted | the user aborted a request | request aborted | request was aborted | request was canceled due to | aborterror | abort_err
		context canceled | context cancelled | request canceled | request cancelled | task was canceled | task was cancelled | cancellederror
		statement_timeout | canceling statement due | query execution was interrupted | querycanceled | 57014 | did not answer within | no answer within | did not reply within | no reply within | still queued | still pending after | giving up after | nothing came back | was cut off after | cut off after | stopped after waiting | took too long | took longer than | cancelled after reaching | canceled after reaching | did not become ready | become ready in time | timely response | timely manner | in a timely | taking too long
		exceeded the time limit | exceeded time limit | exceeded maximum execution time | exceeded max time | exceeded timeout | execution time limit
		maximum execution time | maxtimemsexpired | time limit exceeded | no response within | did not respond in time | did not respond within
		didn't respond in time | not respond in time | failed to respond in time | waiting failed | ms exceeded | i/o timeout | code: 524 | 超时 | タイムアウト
		시간 초과 | 시간이 초과 | 시간초과 | zeitüberschreitung | zeitlimit überschritten | délai d'attente | délai dépassé | délai expiré | délai imparti
		tiempo de espera | tiempo agotado | tempo esgotado | tempo limite | tempo scaduto | время ожидания | таймаут | zaman aşımı`, unless: `
		invalid timeout | timeout must | timeout: input | timeout should | unknown option | timeout is required | unexpected keyword argument 'timeout'
		lock wait timeout | session timed out | login timed out | sign in again | log in again`},
	{id: "net.starting", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Retryable, phrases: `
		is reloading | is recompiling | is compiling | is rebooting | is restarting | is booting | is being restarted | is waiting to start | podinitializing | containercreating | still booting | no healthy | is warming up | could not set lock | conflicting lock | is locked by another process | locked by another process | another process is using | being used by another process | could not acquire lock | failed to acquire lock | is mid-reload | domain reload | heard nothing | still loading after | doing maintenance | back in an hour | back shortly | back soon | being elected | rebuilding | is starting up | restarting | out of service | temporarily out | temporarily offline | be back soon | come back later |  unable to persist | misconf | is loading | model is loading | starting up | still starting | not ready yet | is not ready | not yet ready | warming up | is currently loading | loading redis
		loading…the dataset in memory | is being initialized | still initializing | is shutting down | shutting down | in recovery mode | 57p03
		temporarily unavailable | temporary unavailable | temporary failure, please | temporarily down | currently unavailable | service is unavailable
		service unavailable | service_unavailable | serviceunavailable* | service temporarily | service is temporarily | service is down | server is down
		server is unavailable | server unavailable | server_unavailable | backend unavailable | backend is unavailable | backend_unavailable
		upstream unavailable | no healthy upstream | no healthy host | no available server | no server is available | not available at the moment
		unavailable at the moment | circuit breaker | circuit is open | circuitbreaker* | brokencircuit* | callnotpermitted* | try again later
		database is locked | database table is locked | sqlite_busy | sqlite_locked | ebusy | resource busy | device or resource busy | text file busy
		eagain | resource temporarily unavailable | masterdown | clusterdown | cluster_block_exception | notprimary* | notwritableprimary | not master
		tryagain | 服务不可用 | 服务暂不可用 | 服务暂时不可用 | 暂时不可用 | 稍后重试 | 稍后再试 | 请稍后 | 一時的に利用でき | 利用できません | サービスを利用 | 일시적으로 사용할 수 | 사용할 수 없습니다 | nicht verfügbar
		vorübergehend | indisponible | no disponible | não disponível | indisponível | non disponibile | недоступен`, unless: `
		rate limit | feature is not available | not available on your | not available in your`},
	{id: "net.dns", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadReach, phrases: `
		enotfound | name does not resolve | host does not resolve | eai_again | eai_nodata | eai_fail | getaddrinfo | gaierror | socket.gaierror | name or service not known
		temporary failure in name resolution | name resolution | nodename nor servname | no address associated with hostname | no such host
		could not resolve | couldn't resolve | cannot resolve | failed to resolve | unable to resolve | unresolved host | unresolvedaddress*
		unknownhostexception | unknown host | host not found | host unknown | server ip address could not be found | could not translate host name | dns error
		dns lookup | dns resolution | dns failure | dns problem | err_name_not_resolved | name_not_resolved | nameresolutionerror | nxdomain | hostname could not be found | hostname…could not be found | hostname…not found | hostname cannot be found | unable to look up
		lookup address information | getaddrinfo failed | 域名解析 | 无法解析 | 名前解決 | 호스트를 찾을 수`, unless: `
		failed to resolve absolute | failed to resolve path | failed to resolve the path | failed to resolve file | could not resolve path | unable to resolve path | could not resolve to a | could not resolve entity | could not resolve dependenc* | unable to resolve dependency | could not resolve reference
		cannot resolve column | cannot resolve symbol | could not resolve placeholder | failed to resolve module | could not resolve "`},
	{id: "net.connect", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadReach, phrases: `
		no working | no responding | no reachable endpoint | endpoint available | could not find a good candidate | is not responding | not connected to | econnrefused | econnreset | does not answer | never got through | did not get through | no service answers | nobody answers | died under us | did not respond | does not respond | doesn't respond | didn't respond | is offline | engine is stopped | is stopped | session was closed | doesn't answer | did not answer | never answered | no answer | nobody listens | nothing listens | hung up | broke off | broke halfway | went away | is no network | no network | no internet | asleep | is not open | is not started | was not started | lost sight | could not dial | cannot dial | failed to dial | unable to dial | not found or was not accessible | failed to establish a connection | establishing a connection | establish a connection | establish connection | ehostunreach | enetunreach | enetdown | ehostdown | epipe | enotconn | eaddrnotavail | connection refused
		connection_refused | connection was refused | connection reset | connection_reset | connection was reset | connection aborted | connection was aborted
		connection closed | connection was closed | connection is closed | connection has been closed | connection lost | connection was lost
		connection issue | connection issues | connection problem | connection terminated | connection dropped | connection broken
		connection unexpectedly closed | connection ended | connection to…refused | connection to…closed | connection to…lost | connection attempts failed
		connection interrupted | connection not established | connection…was refused | connection does not exist | connection_closed | connection_lost
		connect call failed | connectionreset* | connectionrefused* | connectionaborted* | connectionclosed* | connectexception | connecterror
		connectfailure | clientconnectorerror | serverdisconnectederror | remotedisconnected | remoteprotocolerror | brokenpipe* | apiconnectionerror
		networkerror | network error | network_error | network request failed | network failure | network is unreachable | network unreachable | network issue
		network timeout | neterror | no route to host | host is unreachable | host unreachable | host is down | destination unreachable | fetch failed
		failed to open tcp | failed to reach | could not reach | couldn't reach | could not contact | could not open a connection | cannot reach | can't reach
		unable to reach | unable to contact | error trying to connect | error sending request | error during connect | error while dialing | socket hang up
		socket closed | socket is closed | socket error | socketexception | socket connection | socket was closed | socket disconnected | und_err_socket
		other side closed | stream closed | stream was reset | stream error | stream reset | stream destroyed | premature close | closed prematurely
		closed unexpectedly | closed connection | closed the connection | closed by remote | closed by the remote | closed by peer | closed network connection
		reset by peer | reset by remote | broken pipe | unexpected eof | unexpected end of stream | unexpected end of file from server | eofexception | eof
		end of file reached | end of file on communication channel | remote end closed | remote host closed | remote server closed | peer closed
		server closed the connection | server disconnected | server has gone away | gone away | lost connection | lost contact | has disconnected
		is disconnected | disconnect/reset | upstream connect error | no connection could be made | no connection to | no database connection | no…connection available | no connection available
		not yet connected | is not reachable | not reachable | is unreachable | unreachable | server not running | is not running | not running
		max retries exceeded | number of retries | maximum retries | too many retries | retries exhausted | out of retries | all retries failed | retry limit exceeded | serverselection* | server selection | mongonetwork* | topology was destroyed | topology is closed
		no servers could be reached | no suitable servers | no reachable | no living connections | nonodesavailable | nohostavailable | no nodes available
		communications link failure | communication link failure | communication error | communicationsexception | network adapter could not establish | tns:*
		ora-12541 | ora-12154 | ora-12170 | ora-12514 | ora-03113 | ora-03114 | 08003 | 08006 | cr_server_lost | protocol_connection_lost | er_net_*
		err_connection_refused | err_connection_reset | err_connection_closed | err_connection_failed | err_address_unreachable | err_internet_disconnected
		err_network_changed | err_empty_response | err_tunnel_connection_failed | err_proxy_connection_failed | err_socket_not_connected
		err_stream_premature_close | proxyerror | proxy error | proxy connection | tunnel connection failed | transport error | transport closed
		transport is closed | transport endpoint is not connected | transport failure | transport is not connected | process failed | process exited
		process died | process crashed | process terminated | process has exited | process is not running | server process | server exited | server crashed
		server terminated | child process | worker died | worker exited | worker terminated | subprocess exited | closedresourceerror | brokenresourceerror
		session terminated | session closed | session is closed | target closed | target page, context or browser has been closed | target crashed
		page crashed | page has been closed | page was closed | page closed | browser has been closed | browser has disconnected | browser is closed
		browser closed | browser disconnected | navigation failed because browser | websocket is not open | websocket connection
		websocket closed | websocket error | websocket was closed | make sure…is running | ensure…is running | is…running? | no active sse connection
		no active transport | errno 111 | errno 104 | errno 113 | errno 110 | errno 32 | errno -2 | errno -3 | os error 111 | os error 104 | os error 61
		errno 61 | an existing connection was forcibly closed | actively refused | connection timed out | unavailable | 无法连接 | 连接失败 | 连接被拒绝 | 连接错误 | 连接超时
		连接断开 | 连接已断开 | 连接重置 | 网络错误 | 网络异常 | 网络连接 | 接続できません | 接続に失敗 | 接続が拒否 | 接続エラー | ネットワークエラー | 연결할 수 없 | 연결에 실패 | 연결이 거부 | 연결 실패 | 연결이 끊 | 네트워크 오류
		verbindung fehlgeschlagen | verbindung verweigert | verbindung abgelehnt | verbindung wurde | verbindungsfehler | keine verbindung | nicht erreichbar
		netzwerkfehler | connexion refusée | connexion impossible | échec de la connexion | erreur de connexion | impossible de se connecter | erreur réseau
		injoignable | conexión rechazada | conexión denegada | no se pudo conectar | no se puede conectar | error de conexión | error de red
		conexão recusada | não foi possível conectar | falha na conexão | connessione rifiutata | impossibile connettersi | соединение отклонено
		не удалось подключиться | ошибка соединения | ошибка сети`, unless: `'<eof>' | unexpected eof in | <eof> | eof token | expected eof | connect to your account | please connect | failed to fetch p | failed to fetch users | failed to fetch data | er_net_packet`},
	{id: "net.tls", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadTLS, phrases: `
		certificate_verify_failed | certificate verify failed | certificate verification failed | certificate signed by unknown authority
		certificate has expired | certificate is not trusted | certificate is not valid | certificate is not yet valid | certificate is valid for
		certificate is invalid | certificate required | certificate unknown | certificate error | certificate chain | certificate common name
		cert_has_expired | cert_not_yet_valid | cert authority | self signed certificate | self-signed certificate | depth_zero_self_signed_cert
		self_signed_cert_in_chain | unable_to_verify_leaf_signature | unable_to_get_issuer_cert* | unable to verify the first certificate
		unable to get local issuer certificate | verify certificate | valid certification path | pkix path | suncertpath* | sslerror | sslhandshakeexception
		sslexception | sslcertverificationerror | sslpeerunverified* | ssl error | ssl handshake | ssl routines | ssl certificate problem | ssl_error*
		ssl connection could not be established | secure channel | tls handshake | tls error | tls alert | tls connection | tls: * | tlsv1 alert
		handshake failure | handshake failed | handshake_failure | wrong version number | hostname mismatch | hostname/ip does not match
		err_tls_cert_altname_invalid | err_cert* | err_ssl* | x509* | remote certificate is invalid | authentication failed because the remote | sec_error*
		unsafe legacy renegotiation | eproto | 证书验证 | 证书错误 | 证书已过期 | zertifikat`, unless: `
		invalid certificate argument`},
	{id: "net.failed", tier: tierInfra, code: envelope.ServiceUnavailable, class: envelope.Dependency, lead: leadReach, phrases: `
		protocol error | 		connection failed | connection failure | connection error | connection errors | connection to…failed | connection_error | connect error
		connect failed | connectionerror | failed to fetch | failed to connect | failed connecting | failed to establish | failed to open a connection
		could not connect | couldn't connect | could not establish | cannot connect | can't connect | cannot establish | cannot open database connection
		unable to connect | unable to establish | unable to open connection | error connecting | error occurred while connecting | error establishing
		disconnected | not connected | not connected to | 08001`, unless: `failed to fetch p | failed to fetch users | failed to fetch data`},
	{id: "reply.nonjson", tier: tierInfra, code: envelope.UpstreamNonJSON, lead: leadNonJSON, phrases: `
		returned none | returned null for | expected json | returned html | sent html | spat out html | answered with html | responded with html | replied with html | garbled json | broken json | where json | stops in the middle | reply was truncated | response was truncated | answer was truncated | login page instead | could not be decoded | markup | received text/html | got text/html | response body was empty | response was empty | reply was empty | body was empty | empty response | empty reply | empty body | while parsing response | while parsing the response | instead of json | is not json | was not json | an html page | html page instead | parsed as json | as json | unexpected token '<' | unexpected token < in json | unexpected token…is not valid json | unexpected token…in json | unexpected end of json
		unexpected non-whitespace character after json | unexpected character at line | unexpected character encountered while parsing
		unexpected character ( | unexpected eof while parsing json | unterminated string in json | bad control character in string literal in json
		is not valid json | was not valid json | not valid json | not a valid json | not valid json response | invalid json | invalid json response
		invalid json received | invalid json body | non-json | non json | nonjson | malformed json | malformed response | malformed reply
		expecting value: line | expecting value: | extra data: line | expecting property name enclosed | expecting ',' delimiter
		invalid control character at | unterminated string starting at | invalid character '<' | invalid character…looking for beginning
		invalid character…after top-level | invalid character…in string literal | expected value at line | eof while parsing | error decoding response body
		error decoding json | error parsing json | error parsing response | error parsing server response | error reading response body | failed to parse json
		failed to parse response | failed to parse api response | failed to parse server response | failed to parse the response | failed to parse body
		failed to decode json | failed to decode response | failed to decode the response | failed to decode body | failed to deserialize response
		failed to deserialize the response | failed to unmarshal response | failed to unmarshal json | failed unmarshalling response | could not parse json
		could not parse response | could not parse the response | could not decode json | could not decode response | couldn't parse response
		cannot parse response | cannot decode response | unable to parse json | unable to parse response | unable to parse the response
		unable to decode response | unable to parse server | jsondecodeerror | jsonparseexception | jsonsyntaxexception | json.parsererror | json::parsererror
		jsonreaderexception | jsonexception | contenttypeerror | json parse error | json parsing error | json decode error | json decoding error | json error
		jsondecodingerror | response body was not valid json | response was not json | response is not json | response is not valid json | response not json
		response was not valid json | unexpected mimetype | unexpected content type | unexpected content-type | unexpected response format
		unexpected response type | unexpected response from | unexpected html | received html | got html | returned html | html response
		html instead of json | invalid response from | invalid response format | invalid response received | invalid xml | xml parse error | xml parsing error
		could not find a suitable httpmessageconverter | could not extract response | no suitable httpmessageconverter | is an invalid start of a value
		does not contain any json tokens | expected the input to start with a valid json token | syntaxerror: json | yaml: line | 响应不是有效的 json | 不是有效的 json
		不是有效的json | json 解析 | json解析`, unless: `
		json in…argument | json in…parameter | json for…parameter | json for…argument | json in field | json serializable | parse arguments | parsing arguments | parse the arguments | decode arguments | request body | invalid arguments | arguments json`},
}

var (
	leadSetting   = sanitize.Const("Error: the server behind this tool lacks a setting of its own.")
	adviceSetting = sanitize.Const("Retrying will not help until the server is configured.")
	leadMissing   = sanitize.Const("Error: a program or module that the tool needs is missing on its server.")
	leadTimeout   = sanitize.Const("Error: the operation timed out.")
	leadReach     = sanitize.Const("Error: a service behind this tool could not be reached.")
	leadTLS       = sanitize.Const("Error: a secure connection to a service behind this tool could not be established.")
	leadNonJSON   = sanitize.Const("Error: a service behind this tool answered with something that is not valid JSON.")
	adviceInstall = sanitize.Const("It must be installed by whoever runs the tool.")
	adviceSmaller = sanitize.Const("Try again later with a smaller request.")
)
