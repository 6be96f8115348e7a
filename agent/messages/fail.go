package messages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outbound"
)

// apiError is the body of the API's error response.
type apiError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// failure returns why a request failed before its reply began.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	var api *anthropic.Error
	if errors.As(err, &api) {
		return answered(api)
	}
	// Retrying helps neither.
	var redirect *outbound.RedirectError
	if errors.As(err, &redirect) {
		return &agent.Failure{Type: "redirect_error", Status: redirect.Status, Message: redirect.Error()}
	}
	var cleartext *outbound.ClearError
	if errors.As(err, &cleartext) {
		return &agent.Failure{Type: "insecure_error", Message: cleartext.Error()}
	}
	// The types of the SDK's own errors are internal: only their texts distinguish them.
	switch text := err.Error(); {
	case strings.Contains(text, "no Anthropic credentials found"):
		return fmt.Errorf("%w: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, or ANTHROPIC_PROFILE)", agent.ErrNoCredentials)
	case strings.Contains(text, "ANTHROPIC_PROFILE="): // the profile can't be read
		return fmt.Errorf("%w: %w", agent.ErrNoCredentials, err)
	}
	return err
}

// stopped returns why the context of a request ended: the watchdog or the caller.
func stopped(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, agent.ErrStalled) || errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// answered converts an error response. If it is not in the API's form, for example from a proxy, the type follows from
// the status.
func answered(e *anthropic.Error) *agent.Failure {
	var body struct {
		Error   apiError `json:"error"`
		Request string   `json:"request_id"`
	}
	if json.Unmarshal([]byte(e.RawJSON()), &body) != nil || body.Error.Type == "" {
		body.Error.Type = typeOfStatus(e.StatusCode)
	}
	if body.Error.Message == "" {
		body.Error.Message = http.StatusText(e.StatusCode)
	}
	f := &agent.Failure{Type: body.Error.Type, Status: e.StatusCode, Message: body.Error.Message, RequestID: e.RequestID}
	if f.RequestID == "" {
		f.RequestID = body.Request
	}
	if e.Response != nil {
		f.RetryAfter = retryAfter(e.Response.Header, time.Now())
	}
	return f
}

func typeOfStatus(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusPaymentRequired:
		return "billing_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// retryAfter returns the delay that the API asks for, given in milliseconds, in seconds, or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, f := range []struct {
		name string
		unit time.Duration
	}{{"retry-after-ms", time.Millisecond}, {"retry-after", time.Second}} {
		v := h.Get(f.name)
		if n, err := strconv.ParseFloat(v, 64); err == nil && n >= 0 && n < float64(365*24*time.Hour/f.unit) {
			return time.Duration(n * float64(f.unit))
		}
		if at, err := http.ParseTime(v); err == nil {
			return max(0, at.Sub(now))
		}
	}
	return 0
}
