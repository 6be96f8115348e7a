package outbound

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answering answers every request, wherever it goes, and counts them.
type answering struct {
	status int
	n      int
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.n++
	return &http.Response{StatusCode: a.status, Header: http.Header{"Location": {"https://elsewhere.example/x"}}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func TestNothingGoesOverPlainHTTPBeyondThisMachine(t *testing.T) {
	for at, want := range map[string]bool{
		"https://api.example/v1": true, "http://localhost:1/x": true, "http://127.0.0.1:8080": true, "http://[::1]:9/": true, "http://127.9.9.9/": true,
		"http://api.example/v1": false, "http://10.0.0.5:8080/": false, "http://localhost.example/": false, "http://0.0.0.0:80/": false,
		"http://gateway.lan:4000/": true, "http://gateway.lan:4001/": false, "http://other.lan/": true, "http://other.lan:9/": true,
	} {
		t.Setenv(InsecureHosts, "gateway.lan:4000, OTHER.lan")
		a := &answering{status: 200}
		_, err := (&http.Client{Transport: Transport(a, 1<<20)}).Get(at)
		var cleartext *ClearError
		if sent := a.n == 1; sent != want || want != (err == nil) || !want && !errors.As(err, &cleartext) {
			t.Errorf("%s: sent %v, %v", at, sent, err)
		}
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	reached := false
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer there.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, there.URL, status) }))
		res, err := (&http.Client{Transport: Transport(http.DefaultTransport, 1<<20)}).Post(here.URL, "text/plain", strings.NewReader("secret"))
		var redirect *RedirectError
		if !errors.As(err, &redirect) || redirect.Status != status || redirect.To != strings.TrimPrefix(there.URL, "http://") {
			t.Errorf("%d: %v, %v", status, res, err)
		}
		here.Close()
	}
	if reached {
		t.Error("it was followed")
	}
}
