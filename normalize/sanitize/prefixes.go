package sanitize

// vendorPrefix is the fixed start of a credential. rest is the least number of
// characters that must follow before the token counts as one.
type vendorPrefix struct {
	text string
	rest int
}

// vendorPrefixes are the public prefixes of credentials, by their first letter.
// Sources: the vendors' own documentation of their token formats.
var vendorPrefixes = byFirst([]vendorPrefix{
	// AWS
	{"AKIA", 4}, {"ASIA", 8}, {"ABIA", 8}, {"ACCA", 8}, {"AGPA", 12}, {"AIDA", 12}, {"AROA", 12}, {"AIPA", 12}, {"ANPA", 12}, {"ANVA", 12}, {"APKA", 12},
	{"bedrock-api-key-", 4},
	// Git hosts
	{"ghp_", 4}, {"gho_", 4}, {"ghu_", 4}, {"ghs_", 4}, {"ghr_", 4}, {"github_pat_", 4},
	{"glpat-", 4}, {"gldt-", 4}, {"glrt-", 4}, {"glptt-", 4}, {"glft-", 4}, {"glsoat-", 4}, {"glcbt-", 4}, {"glagent-", 4}, {"gloas-", 4}, {"glimt-", 4}, {"GR1348941", 4},
	{"ATBB", 8}, {"ATATT", 4}, {"ATCTT", 4}, {"BBDC-", 8},
	// Chat
	{"xoxb-", 4}, {"xoxp-", 4}, {"xoxa-", 4}, {"xoxr-", 4}, {"xoxs-", 4}, {"xoxe-", 4}, {"xoxe.", 4}, {"xoxo-", 4}, {"xoxc-", 4}, {"xoxd-", 4}, {"xapp-", 4},
	// Payment
	{"sk_live_", 2}, {"sk_test_", 2}, {"rk_live_", 2}, {"rk_test_", 2}, {"pk_live_", 2}, {"pk_test_", 2}, {"whsec_", 4},
	{"sq0atp-", 4}, {"sq0csp-", 4}, {"EAAA", 12}, {"access_token$production$", 4}, {"FLWSECK", 4}, {"FLWPUBK", 4}, {"rzp_live_", 4}, {"rzp_test_", 4}, {"shpat_", 4}, {"shpca_", 4}, {"shppa_", 4}, {"shpss_", 4},
	// Models and their hosts
	{"sk-", 8}, {"sk-proj-", 2}, {"sk-ant-", 2}, {"sk-or-", 2}, {"sess-", 16}, {"gsk_", 8}, {"xai-", 12}, {"hf_", 12}, {"api_org_", 8}, {"r8_", 12}, {"pplx-", 8}, {"tgp_v1_", 4}, {"fw_", 16}, {"nvapi-", 4}, {"jina_", 8}, {"voyage-pa-", 4}, {"pa-", 24}, {"lsv2_", 4}, {"ls__", 8}, {"wandb_", 16}, {"co-", 30}, {"csk-", 12}, {"tvly-", 4}, {"fc-", 16}, {"exa-", 20}, {"AIza", 4},
	// Google
	{"ya29.", 4}, {"GOCSPX-", 4}, {"1//0", 8}, {"GOOG1E", 8}, {"6L", 36},
	// Tokens that say what they are
	{"eyJ", 4}, {"v2.local.", 4}, {"v4.local.", 4}, {"v2.public.", 4}, {"v4.public.", 4}, {"gAAAAA", 12},
	// Package registries and build services
	{"npm_", 12}, {"pypi-", 4}, {"rubygems_", 8}, {"oy2", 30}, {"dckr_pat_", 4}, {"dckr_oat_", 4}, {"cio", 24}, {"bkua_", 4}, {"CCIPAT_", 4}, {"CCIPRJ_", 4}, {"tfp_", 12}, {"pul-", 12}, {"atlasv1.", 4}, {"hvs.", 4}, {"hvb.", 4}, {"hvr.", 4}, {"s.", 24}, {"nfp_", 4}, {"vercel_", 12}, {"vcp_", 12}, {"rnd_", 16}, {"rlwy_", 8}, {"fo1_", 8}, {"FlyV1", 1}, {"fm2_", 8}, {"dop_v1_", 4}, {"doo_v1_", 4}, {"dor_v1_", 4}, {"HRKU-", 4}, {"sntrys_", 4}, {"sntryu_", 4}, {"sonar", 40}, {"squ_", 8}, {"sqp_", 8}, {"sqa_", 8}, {"snyk_", 8},
	// Data, monitoring and observability
	{"sbp_", 4}, {"sb_secret_", 4}, {"sb_publishable_", 4}, {"pscale_", 4}, {"pscale_pw_", 2}, {"pscale_tkn_", 2}, {"pscale_oauth_", 2}, {"dapi", 12}, {"dp.pt.", 4}, {"dp.st.", 4}, {"dp.ct.", 4}, {"dp.sa.", 4}, {"glsa_", 4}, {"glc_", 8}, {"NRAK-", 4}, {"NRJS-", 4}, {"NRII-", 4}, {"NRAA-", 4}, {"NRRA-", 4}, {"phc_", 8}, {"phx_", 8}, {"dt0c01.", 4}, {"dt0s01.", 4}, {"lin_api_", 4}, {"lin_oauth_", 4}, {"ntn_", 8}, {"secret_", 16}, {"PMAK-", 4}, {"CFPAT-", 4}, {"figd_", 4}, {"figu_", 4}, {"fio-u-", 8}, {"patr", 20}, {"pat-na1-", 4}, {"pat-eu1-", 4}, {"SG.", 8}, {"key-", 24}, {"sib-", 8}, {"xkeysib-", 4}, {"xsmtpsib-", 4}, {"re_", 12}, {"mlsn.", 4}, {"AC", 30}, {"SK", 30}, {"tk_", 16}, {"duffel_", 12}, {"easypost", 20}, {"EZAK", 12}, {"EZTK", 12}, {"ops_eyJ", 4}, {"A3-", 20}, {"AGE-SECRET-KEY-", 1}, {"age-secret-key-", 1}, {"waka_", 8}, {"prefect", 20}, {"pnu_", 8}, {"dG9r", 24}, {"ocp_", 8}, {"sha256~", 8}, {"ELVT_", 4}, {"kg_", 24}, {"ddp_", 12}, {"ddapp_", 8}, {"ion_", 20}, {"ak-", 20}, {"as-", 30}, {"cfut_", 4}, {"cfat_", 4}, {"cfk_", 4}, {"aio_", 16}, {"adafruit", 30}, {"tskey-", 4}, {"nsec1", 8}, {"xprv", 12}, {"zpka_", 8}, {"sgp_", 8}, {"mgp_", 8},
})

func byFirst(list []vendorPrefix) (t [128][]vendorPrefix) {
	for _, p := range list {
		c := p.text[0]
		t[c] = append(t[c], p)
	}
	return t
}

// vendorToken reports whether the token w starts like a credential of a vendor.
func vendorToken(w string) bool {
	if w == "" || w[0] >= 128 {
		return false
	}
	for _, p := range vendorPrefixes[w[0]] {
		if len(w) >= len(p.text)+p.rest && w[:len(p.text)] == p.text && tokenRun(w[len(p.text):], p.rest) {
			// Long waits mean a short prefix: a word could start like it.
			if p.rest >= 12 && !hasDigit(w[len(p.text):]) {
				continue
			}
			return true
		}
	}
	return false
}

// tokenRun reports whether s starts with n characters of a token.
func tokenRun(s string, n int) bool {
	for i := 0; i < n; i++ {
		if c := s[i]; !isAlnum(c) && c != '_' && c != '-' && c != '.' && c != '+' && c != '/' && c != '=' {
			return false
		}
	}
	return true
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
