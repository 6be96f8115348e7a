// Package outbound is how memend reaches services: its clients send credentials and
// memories to the host that they were given, and to no other. No redirect is followed,
// and nothing goes over plain http beyond this machine unless the host is named in
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

// InsecureHosts names the variable with the hosts that may be spoken to unencrypted,
// with a port or without, apart by spaces or commas.
const InsecureHosts = "MEMEND_INSECURE_HOSTS"

// ClearError is a request that was not sent, since everybody on the way could read it.
type ClearError struct{ Host string }

func (e *ClearError) Error() string {
	return fmt.Sprintf("nothing is sent to %s over plain http: use https, or set %s=%s if the network is trusted", e.Host, InsecureHosts, e.Host)
}

// RedirectError is an answer that sends elsewhere, which is not followed.
type RedirectError struct {
	Status int
	To     string // the host, or empty
}

func (e *RedirectError) Error() string {
	to := "elsewhere"
	if e.To != "" {
		to = "to " + e.To
	}
	return fmt.Sprintf("it redirects %s (%d), which is not followed: credentials go only to the host that was configured", to, e.Status)
}

// Transport sends requests by another one.
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
	to, _ := res.Location() // where there is one
	_ = res.Body.Close()
	e := &RedirectError{Status: res.StatusCode}
	if to != nil {
		e.To = to.Host
	}
	return nil, e
}

// Loopback reports whether a URL leads to this machine.
func Loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

func trusted(u *url.URL) bool {
	hosts := strings.FieldsFunc(os.Getenv(InsecureHosts), func(r rune) bool { return r == ' ' || r == ',' })
	return slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, u.Host) || strings.EqualFold(h, u.Hostname()) })
}
