// Package outbound restricts how memend's clients reach services: they send credentials and memories only to the
// configured host. They follow no redirect, and use plain http to other machines only if the host is named in
// $MEMEND_INSECURE_HOSTS.
package outbound

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// InsecureHosts is the environment variable with the hosts that may be reached unencrypted, with or without a port,
// separated by spaces or commas.
const InsecureHosts = "MEMEND_INSECURE_HOSTS"

// ClearError reports a request that was not sent because it would have been unencrypted.
type ClearError struct{ Host string }

func (e *ClearError) Error() string {
	return fmt.Sprintf("nothing is sent to %s over plain http: use https, or set %s=%s if the network is trusted", e.Host, InsecureHosts, e.Host)
}

// RedirectError reports a redirect, which is not followed.
type RedirectError struct {
	Status int
	To     string // the target host, or empty
}

func (e *RedirectError) Error() string {
	to := "elsewhere"
	if e.To != "" {
		to = "to " + e.To
	}
	return fmt.Sprintf("the service redirects %s (%d), which is not followed: credentials go only to the configured host", to, e.Status)
}

// Transport wraps a transport with these restrictions. A response of more than most bytes fails while it is read.
func Transport(next http.RoundTripper, most int64) http.RoundTripper { return transport{next, most} }

type transport struct {
	http.RoundTripper
	most int64
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !Loopback(r.URL) && !trusted(r.URL) {
		return nil, &ClearError{r.URL.Host}
	}
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 300 || res.StatusCode >= 400 || res.StatusCode == http.StatusNotModified {
		res.Body = &body{res.Body, t.most, t.most}
		return res, nil
	}
	to, _ := res.Location() // if there is one
	_ = res.Body.Close()
	e := &RedirectError{Status: res.StatusCode}
	if to != nil {
		e.To = to.Host
	}
	return nil, e
}

// body is a response body that fails when it exceeds its limit.
type body struct {
	io.ReadCloser
	left, most int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("response exceeds %d MiB", b.most>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Loopback reports whether a URL points to this machine.
func Loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

func trusted(u *url.URL) bool {
	hosts := strings.FieldsFunc(os.Getenv(InsecureHosts), func(r rune) bool { return r == ' ' || r == ',' })
	return slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, u.Host) || strings.EqualFold(h, u.Hostname()) })
}
