package messages_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
)

// A redirect that keeps the method would bring the conversation to another host.
func TestRequestsGoOnlyToTheConfiguredHost(t *testing.T) {
	bare(t)
	reached := 0
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer there.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, there.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer here.Close()
	c, err := messages.New(messages.Options{BaseURL: here.URL, APIKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	_, streamErr := c.Stream(t.Context(), request(), nil)
	_, askErr := c.Ask(t.Context(), request())
	_, modelsErr := c.Models(t.Context())
	for _, err := range []error{streamErr, askErr, modelsErr} {
		var f *agent.Failure
		if !errors.As(err, &f) || f.Status != 307 || !strings.Contains(f.Message, "redirects to "+strings.TrimPrefix(there.URL, "http://")) {
			t.Errorf("%v", err)
		}
	}
	if reached > 0 {
		t.Errorf("%d requests were sent on", reached)
	}
	if c, err = messages.New(messages.Options{BaseURL: "http://192.0.2.1:1", APIKey: "secret"}); err != nil {
		t.Fatal(err)
	}
	var f *agent.Failure
	if _, err := c.Ask(t.Context(), request()); !errors.As(err, &f) || !strings.Contains(f.Message, "MEMEND_INSECURE_HOSTS=192.0.2.1:1") {
		t.Errorf("%v", err)
	}
}
