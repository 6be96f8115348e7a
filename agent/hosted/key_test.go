package hosted

import (
	"testing"
)

func TestAKeyIsSentOnlyToItsHost(t *testing.T) {
	for _, try := range []struct{ env, at, key string }{
		{"plain", "http://127.0.0.1:8080", "plain"},
		{"plain", "http://localhost:1", "plain"},
		{"plain", "https://memory.example", ""},
		{"plain", "http://10.0.0.5:8080", ""},
		{"https://memory.example=K==", "https://memory.example", "K=="},
		{"https://memory.example=K", "https://MEMORY.example/api", "K"},
		{"https://memory.example/=K", "https://memory.example", "K"},
		{"https://memory.example=K", "http://memory.example", ""},
		{"https://memory.example=K", "https://memory.example:8443", ""},
		{"https://memory.example=K", "https://evil.example", ""},
		{"https://memory.example=K", "https://memory.example.evil.example", ""},
		{"https://memory.example=K", "http://127.0.0.1:8080", ""},
		{"https://a.example=A https://b.example=B plain", "https://b.example", "B"},
		{"https://a.example=A https://b.example=B plain", "http://[::1]:9", "plain"},
		{"http://10.0.0.5:8080=K", "http://10.0.0.5:8080", "K"},
		{"", "http://127.0.0.1:8080", ""},
	} {
		t.Setenv(keyEnv, try.env)
		if got := keyFor(try.at); got != try.key {
			t.Errorf("%q at %s: %q, want %q", try.env, try.at, got, try.key)
		}
	}
}
