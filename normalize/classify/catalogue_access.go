package classify

import "github.com/caddymcp/gateway/normalize/envelope"

// accessCauses: who may do what.
var accessCauses = []cause{
	{id: "auth.credentials", tier: tierMeaning, code: envelope.AuthFailed, phrases: `
		active account selected | an active account | az login | gcloud auth | run 'az | credentials are not available | credentials are unavailable | credentials are not set | authentication methods failed | authentication method provided | re-authentication | incorrect user name | reauthentication | login was not persisted | no cached accounts | no accounts found. | session cookie | log in again | invalid iap credentials | token provided is | pat was provided | ak有误 | 密钥有误 | 认证错误 | api key or refresh | was rejected while | 已失效 | 重新登录 | 请重新登录 | jwserror | jwsinvalid* | verify who you are | verify your identity | who you are | connect the account | reconnect the account | reconnect your account | connect your account | has connected a | no account connected | account is not connected | account not connected | account is not linked | not trusted as a login | no oauth grant | trust as a login | presented by the client | anonymous access | sign in to | log in to renew | has been withdrawn | no key configured | signature could not be verified | token has been used | no valid login | there is no valid login | there is no valid token | there are no valid credentials | configured is no good | no good key | lost its authorization | lost its authorisation | reconnect it | basic authentication | unknown or revoked | expired or revoked | revoked or expired | unknown or expired | invalid or revoked | authentication with passwords | authorization grant | auth login | az login | login first | log in first | obtain new credentials | obtain a new token | key rejected | key was rejected | key was revoked | key has been revoked | key is expired | key has expired | sign in again | log in again | session timed out | oauth flow
		run the auth | authenticate first | credentials file | authorize first | authorization flow | invalid_auth | *_api_key…not set | *_api_key…required | *_api_key…missing | *_api_key…environment variable | *_token…environment variable
		*_token…not set | *_token…must be set | *_api_key…must be set | *_secret…not set | not_authed | invalid_token | token_expired | token_revoked | token_inactive | token_invalid | tokenexpirederror | jsonwebtokenerror
		account_not_found | invalid_api_key | invalid_apikey | invalidapikey | api_key_invalid | api_key_missing | missing_api_key | apikeyinvalid
		invalid_client | invalid_credentials | invalidcredentials* | bad_credentials | badcredentials* | invalid_grant | unauthorized_client
		invalid_authentication | authentication_error | authentication_failed | authentication_required | authenticationfailed* | authenticationerror
		authenticationexception | authenticationrequired* | authentication_exception | autherror | authfailure | auth_error | auth_failed | auth_required
		unauthenticated | unauthenticatedexception | unauthorized | unauthorised | unauthorizedexception | unauthorizederror | invalid_session_id
		invalid session id or | session_expired | sessionexpired* | session expired | session has expired | session no longer valid
		session is no longer valid | session timed out, please log | login_required | login required | requires login | requires authentication
		requires an authenticated | authentication required | authentication is required | authentication needed | authentication failed
		authentication failure | authentication error | authentication fails | authentication has failed | authentication has expired | authentication token
		authentication credentials | authentication credentials were not provided | authentication unsuccessful | auth failed | authenticate failed
		failed to authenticate | failed authentication | failed to log in | failed to login | could not authenticate | couldn't authenticate
		unable to authenticate | not authenticated | cannot authenticate | please authenticate | please re-authenticate | please log in | please login
		please sign in | please provide a valid access token | sign in required | must be logged in | must authenticate | must be authenticated
		you must be logged in | need to be logged in | you need to log in | not logged in | not signed in | login failed | login incorrect | login failure
		log in failed | logon denied | logon failure | sign-in failed | bad credentials | bad username or password | bad password | bad api key | bad token
		invalid credentials | invalid credential | invalid login | invalid username | invalid user name or password | invalid user credentials
		invalid email or password | invalid password | invalid or expired | invalid or missing api key | invalid or missing token | invalid or expired token
		invalid api key | invalid api token | invalid api_key | invalid apikey | invalid x-api-key | invalid access token | invalid access key
		invalid access_token | invalid auth token | invalid auth | invalid authentication | invalid authorization | invalid bearer | invalid refresh token
		invalid oauth | invalid jwt | invalid token | invalid session token | invalid signature | invalid client secret | invalid client id | invalid secret
		invalid key provided | invalid personal access token | invalid subscription key | invalid security token | incorrect api key | incorrect username
		incorrect password | incorrect credentials | wrong username | wrong password | wrong credentials | wrong api key | wrongpass | noauth | no api key
		no api token | no apikey | no access token | no auth token | no authentication | no authorization | no credentials | no valid credentials
		no valid credential | no valid api key | no token provided | no token found | no bearer token | no active authenticated session | missing api key
		missing api token | missing api-key | missing access token | missing auth* | missing authentication | missing authorization | missing bearer
		missing token | missing credentials | missing or invalid api key | missing or invalid token | missing or invalid auth* | missing or malformed jwt
		api key is missing | api key is required | api key required | api key not set | api key is not set | api key not configured
		api key is not configured | api key not found | api key not provided | api key is not given | api key is invalid | api key not valid
		api key is not valid | api key invalid | api key expired | api key has expired | api key…invalid | api key…expired | api key…revoked
		api key…disabled | api_key…not set | api_key is required | api_key…required | api_key is missing | api_key environment variable
		api_token environment variable | api token is invalid | api token is missing | api token is required | api token not set | _api_key
		…access token is invalid | access token is invalid | access token is missing | access token is required | access token required | access token expired
		access token has expired | access token…expired | access token…invalid | access token…revoked | access token validation | valid access token
		valid api key | valid credentials | subscription token is invalid | subscription_token_invalid | subscription key | token is invalid
		token is expired | token is not valid | token is missing | token is required | token has expired | token has been expired | token has been revoked
		token expired | token invalid | token not found | token may be expired | token not provided | token was not provided | token revoked
		token validation failed | token verification failed | token signature | token could not be | token included in the request is | jwt expired
		jwt malformed | jwt must be provided | jwt is expired | jwt verification | jwt signature | signature verification failed | signature does not match
		signaturedoesnotmatch | signature has expired | expiredtoken* | expiredtokenexception | tokenrefreshrequired | invalidclienttokenid
		invalidaccesskeyid | invalidsignatureexception | invalidauthenticationtoken | unrecognizedclientexception | unrecognizedclient | invalididentitytoken
		incompletesignature | missingauthenticationtoken | authorization header | authorization required | credentials are invalid | credentials are not valid
		credentials are missing | credentials are required | credentials not found | credentials not provided | credentials not configured
		credentials not set | credentials invalid | credentials expired | credentials have expired | credentials required | credentials were not provided
		credentials could not be | credentials do not | default credentials | unable to locate credentials | could not load credentials
		could not load the default credentials | could not find default credentials | credentialsprovidererror | nocredentialproviders | nocredentialserror
		nocredentialserr | credentialunavailable* | defaultcredentialserror | partialcredentialserror | refresherror | requires an api key | requires api key
		requires a valid api key | requires a valid token | requires a token | requires credentials | oauth token | oauth2 token | oauth error
		oauthexception | oauth_not_authorized_exception | oauth authorization | reauth | reauthenticate | re-authentication required
		password authentication failed | password incorrect | no password supplied | username and password not accepted | access denied for user
		er_access_denied_error | login failed for user | user not authenticated | user is disabled | user account is disabled | 28p01 | 28000
		authenticationfailed | not accepted…password | bad auth | host key verification failed | permission denied (publickey | could not read username
		could not read password | terminal prompts disabled | aadsts* | invalidauthenticationtokentenant | ora-01017 | ora-28000 | ora-01005
		role…does not exist | no pg_hba.conf entry | kinit | kerberos | 401 unauthorized | invalid x-auth-token | 账号或密码 | 用户名或密码 | 密码错误 | 密码不正确 | 认证失败
		身份验证失败 | 身份认证失败 | 鉴权失败 | 授权失败 | 未授权 | 未登录 | 请先登录 | 请登录 | 登录已过期 | 登录失效 | 登录过期 | 无效的 api | 无效的api | 无效的密钥 | 无效的令牌 | 无效的 token | 无效的token | 令牌无效 | 令牌已过期
		令牌过期 | token 无效 | token无效 | token已过期 | token 已过期 | 密钥无效 | api密钥 | api 密钥 | 凭证 | 認証に失敗 | 認証エラー | 認証が必要 | ログインが必要 | ログインに失敗 | 無効なトークン | 無効な api | apiキー
		api キー | パスワードが正しく | 인증에 실패 | 인증 실패 | 인증이 필요 | 인증되지 않은 | 로그인이 필요 | 로그인에 실패 | 유효하지 않은 토큰 | 유효하지 않은 api | api 키 | 토큰이 만료 | 비밀번호가
		authentifizierung fehlgeschlagen | anmeldung fehlgeschlagen | nicht authentifiziert | nicht angemeldet | nicht autorisiert | ungültige anmeldedaten
		ungültiger api | ungültiges token | ungültiges passwort | authentification échouée | échec de l'authentification | échec d'authentification
		non authentifié | identifiants invalides | jeton invalide | jeton expiré | clé api invalide | autenticación fallida | error de autenticación
		no autenticado | credenciales inválidas | credenciales incorrectas | clave de api | token inválido | token caducado | autenticação falhou
		falha na autenticação | credenciais inválidas | не авторизован | ошибка авторизации | ошибка аутентификации | неверный пароль | неверный токен`, unless: `
		is required but | token limit | max_tokens | next page token | unexpected token | page token`},
	{id: "access.scope", tier: tierMeaning, code: envelope.Forbidden, phrases: `
		invalid permissions | invalid_permissions* | cannot get resource | cannot list resource | cannot create resource | cannot update resource | cannot patch resource | cannot delete resource
		cannot watch resource | row-level security | row level security | violates row-level security | human approval | requires approval | csrf | missing_scope | missing_scopes | missing scopes | missing scope | missing_permissions | missing permissions | missing permission
		missing required scope | missing required permission | missing access | missing or insufficient permissions | required scopes | required scope
		required permission | required permissions | required role | requires…scope | requires…permission | requires…role | requires admin
		requires administrator | requires owner | requires root | requires elevated | requires higher privileges | insufficient_scope
		insufficient_permissions | insufficient_privileges | insufficientpermissions | insufficient scope | insufficient scopes
		insufficient authentication scopes | insufficient permission | insufficient permissions | insufficient privilege | insufficient privileges
		insufficient access | insufficient rights | insufficientprivilege | insufficientprivileges | insufficient_access* | invalid_scope
		necessary privileges | necessary permissions | necessary access | sufficient permission* | sufficient privileges | sufficient access
		proper permissions | appropriate permissions | not_allowed_token_type | no_permission | no permission | noperm | lacks permission | lacks the required
		lack permission | lacks…permission* | lacks…privilege* | lacks…scope* | admin only | admin privileges | admin access required
		administrator privileges | superuser | privileges required | must be owner | must be admin | must be an admin | must be superuser | must have admin
		must have…permission | must have…access | must have…role`},
	{id: "access.denied", tier: tierMeaning, code: envelope.Forbidden, phrases: `
		belongs to a different | belong to a different | execution forbidden | path not allowed | directory not allowed | file not allowed | location not allowed | not in the whitelist | cannot delete system | cannot delete built-in | cannot delete default | cannot delete protected | cannot modify system | cannot modify built-in | cannot modify protected | cannot remove system | cannot rename system | admin approval | admin privileges | statement type…not allowed | account-level auth | with account level auth | locking clause | clause…prohibited | is prohibited | are prohibited | write not allowed | writes are not allowed | writes not allowed | not allowed in read-only | cannot execute…in a read-only | lacks the permission | lack of permission | action is unauthorized | allow list for | in the allow list | on the allow list | on a deny list | on the deny list | denied the call | denied the request | call denied | call was denied | denied this call | requires confirmation | needs confirmation | off limits | off-limits | out of bounds for | hidden from | visible to its members | members only | safe mode | leaves the sandbox | leaves the workspace | locked for everyone | stay away | deny list | denylist | blocklist | block list | the list of permitted | the list of allowed | has restricted | may only read | can only read | reviewer declined | declined the action | guests cannot | guests can't | members cannot | would need the | need the…grant | need the…permission | need the…role | need the…scope | needs the…permission | needs the…scope | needs the…role | only select…permitted | only select…allowed | only the…may | only the…can | blocked the request | blocked this request | automated traffic | reserved for partners | reserved for members | reserved for admin* | reserved for staff | shared with this server | embargo | not a member of | not a member | not on its team | not on the team | not in the team | not part of the team | must be within the allowed dir* | must be inside the allowed dir* | must be in the allowed dir* | must be within the allowed path* | must be under the allowed | within the allowed dir* | within the allowed path* | within the allowed root* | within the allowed folder* | inside the allowed dir* | inside the allowed path* | within allowed dir* | within allowed path* | inside allowed dir* | within the workspace | inside the workspace | within the project directory | not among the editors | not among the members | not among the owners | denies this | denies the | denies access | was not shared with | is not shared with | not been shared with | do not let tools | do not allow tools | access denied | access is denied | access was denied | access_denied | accessdenied* | access forbidden | access not allowed | access restricted
		access blocked | access to…denied | access to…forbidden | access to…not allowed | access to…not permitted | access to…prohibited
		access to…restricted | access to…blocked | permission denied | permission_denied | permissiondenied* | permissionerror | permission error
		permission…denied | permission is denied | permissions denied | permissions error | permission to | permission for | permission on
		the caller does not have permission | does not have permission | doesn't have permission | do not have permission | don't have permission
		don't have the required | don't have access | do not have access | does not have access | doesn't have access | does not have authorization
		does not have the required | does not have sufficient | does not have the necessary | do not have the necessary | do not have sufficient
		do not have rights | have no access | has no access | no access to | no access | has no permission* | have no permission* | not have permission
		not have the permission | not have access | not have privileges | not authorized | not authorised | not_authorized | notauthorized*
		unauthorizedoperation | unauthorized access | unauthorizedaccessexception | unauthorized to | authorizationfailed | authorization failed
		authorization_failed | authorization error | authorizationerror | authorizationexception | unable to authorize | not_allowed | notallowed
		not allowed | isn't allowed | disallowed | is not allowed | are not allowed | not permitted | not_permitted | is not permitted | operationnotpermitted
		operation not permitted | operation not allowed | operation not supported in read-only | action not allowed | action is not allowed
		action prohibited | not in_channel | not_in_channel | is_archived | restricted_action | restricted_resource | restricted resource
		team_access_not_granted | ekm_access_denied | forbidden | forbidden_error | forbiddenexception | forbiddenerror | prohibited | denied by
		request denied | request_denied | denied access | command denied | command not allowed | command is not allowed | command is blocked | blocked by
		was blocked by | has been blocked | is blocked | request blocked | request was blocked | ip_not_allowed | ip address is not allowed | ip not allowed
		ip not accessible by | not accessible to | is not accessible | saml enforcement | rent a paid | premium required | must rent | not entitled | no entitlement | dangerous command | dangerous operation | unsafe command | considered unsafe | you can't edit | you cannot edit | you can't delete | you cannot delete | you can't access | you cannot access | you can't modify | you cannot modify | only administrators | only admins
		only owners | only the owner | only members | only moderators | is private | are private | by policy | policy forbids | forbids access | not in whitelist | not accessible by | not accessible to | is not accessible | saml enforcement | rent a paid | premium required | must rent | not entitled | no entitlement | not in whitelist | not whitelisted | not in the whitelist | not in allowlist | not in the allowlist | not on the allowlist
		not in the allowed | not in allowed | not an allowed | domain not allowed | host not allowed | origin not allowed | invalid origin
		invalid host header | is not in the allowlist | robots.txt…disallow* | robots.txt | autonomous fetching | captcha | bot detected | bot protection
		anti-bot | automated access | cloudflare challenge | attention required | just a moment | checking your browser | verify you are human
		unusual traffic | geo-restricted | geo restricted | not available in your country | not available in your region | region is not supported
		unsupported_country_region_territory | policy violation | policy violated | violates policy | violates our | content policy | content_policy_violation
		content_filter | content management policy | safety policy | organization policy | security policy | guardrail | moderation | applied policy
		rejected by policy | blocked by policy | user rejected | user denied | user declined | user cancelled | user canceled | denied by user
		rejected by user | declined by user | approval required | requires approval | not approved | confirmation required | consent required
		protected branch | branch is protected | repository is archived | read-only mode | read only mode | readonly mode | read-only transaction
		read-only file system | read-only database | readonly database | read-only replica | read only replica | only select queries | only select statements
		only read-only | only readonly | is read-only | is readonly | is read only | --read-only | write operations are disabled | write operations are not
		outside of the workspace | outside allowed | outside of allowed | outside the allowed | outside of the allowed | outside the project
		outside of the project | outside the workspace | outside the repository | outside the sandbox | outside the root | outside workspace | outside of root
		path traversal | directory traversal | path escapes | escapes the | escapes root | eacces | eperm | erofs | eaccess | 42501 | errno 13 | errno 1
		os error 13 | os error 1 | not allowed to | noperms | ora-01031 | ora-01031: insufficient | allaccessdisabled | optoutrequired | 权限不足 | 无权限 | 没有权限
		无权访问 | 没有访问权限 | 拒绝访问 | 访问被拒绝 | 访问受限 | 权限被拒绝 | 禁止访问 | 不允许 | 被禁止 | 被拒绝 | アクセスが拒否 | アクセス拒否 | アクセス権 | 権限がありません | 権限が不足 | 許可されていません | 拒否されました | 禁止されています
		접근이 거부 | 액세스가 거부 | 액세스 거부 | 접근 거부 | 권한이 없 | 권한 없음 | 권한이 부족 | 허용되지 않 | 거부되었습니다 | zugriff verweigert | zugriff nicht erlaubt | keine berechtigung
		nicht berechtigt | berechtigung verweigert | nicht erlaubt | verboten | accès refusé | accès interdit | accès non autorisé | permission refusée
		non autorisé | autorisation refusée | acceso denegado | acceso prohibido | permiso denegado | no autorizado | no tiene permiso | sin permiso
		acesso negado | permissão negada | sem permissão | não autorizado | accesso negato | permesso negato | non autorizzato | доступ запрещен
		доступ запрещён | нет доступа | отказано в доступе | toegang geweigerd | erişim reddedildi`, unless: `
		is not allowed to be empty | property…is not allowed | additional properties are not allowed | additional properties…not allowed
		extra inputs are not permitted | extra fields not permitted | null is not allowed | null values are not allowed | is not allowed here
		javascript is not | command not allowed when used memory | method not allowed | method_not_allowed | not a permitted value`},
}
