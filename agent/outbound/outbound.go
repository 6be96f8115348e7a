// Package outbound restricts how memend's clients reach services: they send credentials and memories only to the
// configured host. They follow no redirect, and use plain http to other machines only if the host is named in
// $MEMEND_INSECURE_HOSTS.
package outbound

import (
	"fmt"
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

// Transport wraps a transport with these restrictions.
func Transport(next http.RoundTripper) http.RoundTripper { return transport{next} }

type transport struct{ http.RoundTripper }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !Loopback(r.URL) && !trusted(r.URL) {
		return nil, &ClearError{r.URL.Host}
	}
	res, err := t.RoundTripper.RoundTrip(r)
	if err != nil || res.StatusCode < 300 || res.StatusCode >= 400 || res.StatusCode == http.StatusNotModified {
		return res, err
	}
	to, _ := res.Location() // if there is one
	_ = res.Body.Close()
	e := &RedirectError{Status: res.StatusCode}
	if to != nil {
		e.To = to.Host
	}
	return nil, e
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
