package talk

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent"
)

// Messages about events, as the user sees them.

// number formats a number with commas.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "−" + s
	}
	return s
}

func startedNote(ev agent.Event) string {
	s := "the session began"
	if ev.Model != "" {
		s += " · " + ev.Model
	}
	for _, st := range ev.Stores {
		s += " · " + st.Name
		if st.Access == "read_only" {
			s += " (read-only)"
		}
	}
	return s
}

func failureText(f *agent.Failure) string {
	if f == nil {
		return "the request failed"
	}
	return f.Error()
}

// idleNote returns why a run ended, unless an earlier note said it.
func idleNote(reason string) (s, hint string) {
	switch reason {
	case "", "end_turn", "stop_sequence", "stopped", "closed", "cancelled", "refusal", "max_tokens", "model_context_window_exceeded":
		return "", "" // the reply or the failure before it said so
	}
	if strings.HasPrefix(reason, "turn budget") {
		return reason, "prompt again to continue, or raise it in the settings"
	}
	if strings.HasPrefix(reason, "token budget") {
		return reason, "raise it in the settings to continue"
	}
	return reason, ""
}

// saidBy reports whether the note of a failure already gives the reason why a run ended:
// errors of the API are shown with their type, others as they are.
func saidBy(f *agent.Failure, reason string) bool {
	return f != nil && (reason == f.Message || reason == f.Error())
}

// stopNote returns why a reply ended if that is unusual.
func stopNote(stop string) (s, hint string) {
	switch stop {
	case "", "end_turn", "stop_sequence", agent.StopToolUse, agent.StopPauseTurn, agent.StopCompaction:
		return "", ""
	case "max_tokens":
		return "the reply was cut: it reached the most tokens of one reply", "raise that in the settings, or ask to continue"
	case "model_context_window_exceeded":
		return "the model's window is full", "compact the conversation, then ask to continue"
	case "refusal":
		return "the model refused to continue", "ask in other words, or begin a new session"
	}
	return "the reply ended: " + stop, ""
}

// brokenNote returns why a turn failed and what to do.
func brokenNote(f *agent.Failure) (s, hint string, t tone) {
	switch {
	case f == nil, f.Type == "cancelled":
		return "stopped", "", important
	case f.Type == "internal":
		return "the session broke: " + f.Message, "prompts are not taken any more; the conversation is kept", problem
	}
	return f.Error(), adviceFor(f), problem
}

// advice is what to do about errors of the API.
var advice = map[string]string{
	"invalid_request_error": "the request was not accepted: check the settings",
	"authentication_error":  "the key was not accepted: check ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN",
	"billing_error":         "the account has no credit",
	"permission_error":      "the key may not use this model: choose another one in the settings",
	"not_found_error":       "there is no such model or address: check the model, and ANTHROPIC_BASE_URL",
	"request_too_large":     "the conversation is too large: compact it, or begin a new session",
	"rate_limit_error":      "too much was asked for: wait, then prompt again",
	"api_error":             "the API failed: prompt again to try once more",
	"timeout_error":         "the API took too long: prompt again to try once more",
	"overloaded_error":      "the API is overloaded: wait, then prompt again",
	"connection":            "the API can't be reached: check the network and ANTHROPIC_BASE_URL, then prompt again",
	"credentials":           credentials,
	"store":                 "check the store, then prompt again",
	"cut":                   "the connection broke: prompt again to try once more",
	"stalled":               "the API sent nothing for too long: prompt again to try once more",
}

// credentials is how to set them.
const credentials = "set ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN; `memend demo` needs none"

func adviceFor(f *agent.Failure) string {
	if s := advice[f.Type]; s != "" {
		return s
	}
	return "prompt again to try once more"
}

// Advice returns what to do about an error.
func Advice(err error) string {
	var f *agent.Failure
	if errors.As(err, &f) {
		return adviceFor(f)
	}
	if errors.Is(err, agent.ErrNoCredentials) { // its message names the variables
		return "`memend demo` needs none"
	}
	return ""
}

// sizes returns the size of the context before and after a compaction.
func sizes(c agent.Compacted) string {
	s := number(c.Before)
	if c.After != 0 {
		s += " → " + number(c.After)
	}
	return s + " tokens"
}

// left returns the seconds until a time.
func left(now, at time.Time) int64 {
	d := at.Sub(now)
	if d <= 0 {
		return 0
	}
	return int64((d + time.Second - 1) / time.Second)
}
