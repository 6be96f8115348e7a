package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// runAgent runs the built-in agent against a server, and returns its exit code and output.
func runAgent(t *testing.T, url string) (int, string) {
	t.Helper()
	t.Setenv("ANTHROPIC_BASE_URL", url)
	t.Setenv("ANTHROPIC_API_KEY", "k")
	t.Setenv("MEMEND_AGENT_RETRIES", "0")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("MEMEND_STORE", "")
	home := t.TempDir()
	var out, errs bytes.Buffer
	if code := Run([]string{"--home", home, "stores", "create", "work"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	code := Run([]string{"--home", home, "-s", "work", "agent", "--model", "m", "hello"}, strings.NewReader(""), &out, &errs)
	return code, errs.String()
}

func TestAgent_ExplainsARefusal(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range []string{
			`{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
			`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","explanation":"That is not for me to do."}},"usage":{"output_tokens":1}}`,
			`{"type":"message_stop"}`,
		} {
			kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
			_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, e)
		}
	}))
	t.Cleanup(s.Close)
	code, output := runAgent(t, s.URL)
	if code != 1 || !strings.Contains(output, "the agent stopped: refusal: That is not for me to do.") {
		t.Errorf("%d: %s", code, output)
	}
}

func TestAgent_ReportsAnUnreachableAPI(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	code, output := runAgent(t, s.URL)
	if code != 1 || !strings.Contains(output, "refused") || !strings.Contains(output, "hint: check the network and ANTHROPIC_BASE_URL") {
		t.Errorf("%d: %s", code, output)
	}
}
