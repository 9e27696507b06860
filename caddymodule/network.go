package caddymodule

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/caddymcp/gateway/normalize/classify"
)

// networkFault names what kept the next handler from an answer.
func networkFault(err error) classify.Fault {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case err == nil:
		return classify.NoFault
	case errors.As(err, &dns):
		return classify.DNS
	case errors.Is(err, syscall.ECONNREFUSED):
		return classify.Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return classify.Reset
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return classify.Timeout
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return classify.Refused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// The connection closed before the answer.
		return classify.Reset
	case strings.Contains(err.Error(), "malformed HTTP"):
		return classify.NotJSON
	}
	return classify.NoFault
}
