package caddymodule

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/caddymcp/gateway/normalize/classify"
)

// networkFault names what kept the next handler from an answer. The text of the
// error decides where its type does not: the errors of reverse_proxy do not
// unwrap.
func networkFault(err error) classify.Fault {
	if err == nil {
		return classify.NoFault
	}
	var dns *net.DNSError
	var timeout net.Error
	text := err.Error()
	said := func(phrases ...string) bool {
		for _, p := range phrases {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(err, &dns), said("no such host", "server misbehaving"):
		return classify.DNS
	case errors.Is(err, syscall.ECONNREFUSED), said("connection refused", "no route to host", "network is unreachable", "no upstreams available"):
		return classify.Refused
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout(), said("timeout", "deadline exceeded"):
		return classify.Timeout
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), said("connection reset", "broken pipe"):
		return classify.Reset
	case said("malformed HTTP", "exceeded"):
		return classify.NotJSON
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), said("EOF", "malformed MIME header", "server closed", "connection lost"):
		return classify.Reset
	}
	var dial reverseproxy.DialError
	if errors.As(err, &dial) {
		return classify.Refused
	}
	return classify.NoFault
}
