package caddymodule

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// contentCoding returns the coding of an answer, or "" when there is none. The
// gateway asks for identity; some servers do not listen.
func contentCoding(h http.Header) string {
	c := strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ",")))
	if c == "identity" {
		return ""
	}
	return c
}

// decodable reports whether the gateway can look into a coding.
func decodable(coding string) bool {
	return coding == "gzip" || coding == "x-gzip" || coding == "deflate"
}

func reader(coding string, r io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return zlib.NewReader(r)
	}
	return nil, errors.New("unknown content coding")
}

// decode returns the plain bytes of a body, at most limit of them: a small body
// may unpack to a large one.
func decode(coding string, body []byte, limit int64) ([]byte, error) {
	r, err := reader(coding, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(out)) > limit {
		return nil, errTooLarge
	}
	return out, err
}

// decoder turns the bytes of a coded stream into plain ones as they come. The
// readers of the library pull, so a goroutine stands between. It runs only while
// Write or Close waits for it: plain is never called beside the request.
type decoder struct {
	data chan []byte
	idle chan struct{} // the goroutine has read everything and wants more
	done chan struct{}
	once sync.Once
	err  error
}

func newDecoder(coding string, plain func([]byte) error) *decoder {
	d := &decoder{data: make(chan []byte), idle: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.err = copyPlain(coding, &feed{d: d}, plain)
	}()
	_ = d.wait()
	return d
}

// wait returns when the goroutine has nothing left to do.
func (d *decoder) wait() error {
	select {
	case <-d.idle:
		return nil
	case <-d.done:
		return d.err
	}
}

// Write decodes p and returns when all that it holds was handed on.
func (d *decoder) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	select {
	case d.data <- p:
	case <-d.done:
		return 0, errors.Join(d.err, io.ErrClosedPipe)
	}
	if err := d.wait(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close ends the stream and returns what was wrong with it.
func (d *decoder) Close() error {
	d.once.Do(func() { close(d.data) })
	<-d.done
	return d.err
}

// feed is what the reader of the library reads from.
type feed struct {
	d   *decoder
	cur []byte
}

func (f *feed) Read(p []byte) (int, error) {
	if len(f.cur) == 0 {
		f.d.idle <- struct{}{}
		var ok bool
		if f.cur, ok = <-f.d.data; !ok {
			return 0, io.EOF
		}
	}
	n := copy(p, f.cur)
	f.cur = f.cur[n:]
	return n, nil
}

func copyPlain(coding string, from io.Reader, plain func([]byte) error) error {
	r, err := reader(coding, from)
	if err != nil {
		return err
	}
	defer r.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if perr := plain(buf[:n]); perr != nil {
				return perr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
