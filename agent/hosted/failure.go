package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/agent/outbound"
	"github.com/memend/memend/versions"
)

// sleepFunc waits for d, or until ctx ends.
type sleepFunc func(ctx context.Context, d time.Duration) error

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// firstWait is the delay before the second attempt; tests shorten it.
var firstWait = 300 * time.Millisecond

const (
	tries      = 3
	maxWait    = 10 * time.Second // the longest delay to wait here; a longer one is returned as an error
	limitedFor = 30 * time.Second // the delay if the service names none
)

// try repeats a request until it succeeds or fails for good. unsure tells do that an earlier attempt
// got no response, so it may have been executed.
func (s *Service) try(ctx context.Context, writes bool, do func(unsure bool) error) error {
	unsure := false
	for n := 1; ; n++ {
		err := do(unsure)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return stopped(ctx, writes)
		}
		fail := s.failure(err)
		var trouble *versions.UpstreamError
		if !errors.As(fail, &trouble) {
			return fail
		}
		unsure = unsure || writes && trouble.Unsure
		trouble.Unsure = unsure
		if n == tries || !retryable(trouble) {
			return fail
		}
		wait := firstWait << (n - 1)
		wait -= time.Duration(rand.Float64() * 0.25 * float64(wait))
		if until := trouble.Until.Sub(s.now()); !trouble.Until.IsZero() {
			if until > maxWait {
				return fail
			}
			wait = max(until, wait)
		}
		if s.sleep(ctx, wait) != nil {
			return stopped(ctx, unsure)
		}
	}
}

// stopped returns the error for a context that ended before the outcome was known.
func stopped(ctx context.Context, unsure bool) error {
	if !unsure {
		return ctx.Err()
	}
	return &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: ctx.Err()}
}

func retryable(e *versions.UpstreamError) bool {
	return e.Trouble == versions.Offline || e.Trouble == versions.RateLimited
}

// failure converts an error of the SDK into one of the engine.
func (s *Service) failure(err error) error {
	var api *anthropic.Error
	if errors.As(err, &api) {
		return s.answered(api)
	}
	var own *versions.UpstreamError
	if errors.As(err, &own) {
		return err
	}
	var redirect *outbound.RedirectError
	if errors.As(err, &redirect) {
		return &versions.UpstreamError{Trouble: versions.InvalidResponse, Err: redirect}
	}
	var cleartext *outbound.ClearError
	if errors.As(err, &cleartext) {
		return &versions.UpstreamError{Trouble: versions.Unauthorized, Err: cleartext}
	}
	// The types of the SDK's own errors are internal: only their texts distinguish them.
	switch text := err.Error(); {
	case strings.Contains(text, "no Anthropic credentials found"):
		return &versions.UpstreamError{Trouble: versions.Unauthorized, Err: errors.New("no credentials found: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, or ANTHROPIC_PROFILE)")}
	case strings.Contains(text, "ANTHROPIC_PROFILE="):
		return &versions.UpstreamError{Trouble: versions.Unauthorized, Err: err}
	case strings.Contains(text, "response exceeds"), strings.Contains(text, "error parsing response json"), strings.Contains(text, "expected destination type"):
		return &versions.UpstreamError{Trouble: versions.InvalidResponse, Unsure: true, Err: cut(err)}
	case errors.Is(err, context.DeadlineExceeded):
		return &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: errors.New("the request timed out")}
	}
	var whole *url.Error
	if errors.As(err, &whole) { // its text repeats the URL
		err = whole.Err
	}
	var op *net.OpError
	notSent := errors.As(err, &op) && op.Op == "dial"
	return &versions.UpstreamError{Trouble: versions.Offline, Unsure: !notSent, Err: cut(err)}
}

// cut shortens an error, which may contain anything that a service sent.
func cut(err error) error {
	const most = 300
	if s := err.Error(); len(s) > most {
		return errors.New(strings.ToValidUTF8(s[:most], "") + "…")
	}
	return err
}

// apiError is the body of the API's error response.
type apiError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Memory  string `json:"conflicting_memory_id"`
	Path    string `json:"conflicting_path"`
}

func (s *Service) answered(e *anthropic.Error) error {
	var body struct {
		Error apiError `json:"error"`
	}
	_ = json.Unmarshal([]byte(e.RawJSON()), &body) // a proxy's response has another form
	message := body.Error.Message
	if message == "" {
		message = http.StatusText(e.StatusCode)
	}
	err := cut(fmt.Errorf("%s (%d)", message, e.StatusCode))
	switch {
	case e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden:
		return &versions.UpstreamError{Trouble: versions.Unauthorized, Err: err}
	case e.StatusCode == http.StatusTooManyRequests:
		return &versions.UpstreamError{Trouble: versions.RateLimited, Until: s.now().Add(retryAfter(e.Response, s.now())), Err: err}
	case e.StatusCode == http.StatusNotFound:
		return &missing{err}
	case e.StatusCode == http.StatusConflict:
		return &versions.HostedConflict{Memory: body.Error.Memory, Path: body.Error.Path, Err: err}
	case e.StatusCode == http.StatusRequestTimeout || e.StatusCode >= 500:
		return &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: err}
	}
	return &versions.HostedRefusal{Message: err.Error()}
}

// missing reports something that the service does not have; the caller knows what was requested.
type missing struct{ err error }

func (m *missing) Error() string { return m.err.Error() }

// as returns what, with the service's message, if err reports something missing.
func as(err, what error) error {
	if m := (*missing)(nil); errors.As(err, &m) {
		return fmt.Errorf("%w: %v", what, m.err)
	}
	return err
}

// retryAfter returns the delay that the service asks for.
func retryAfter(res *http.Response, now time.Time) time.Duration {
	if res == nil {
		return limitedFor
	}
	v := res.Header.Get("retry-after")
	if n, err := strconv.ParseFloat(v, 64); err == nil && n >= 0 && n < 24*3600 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return min(max(0, at.Sub(now)), 24*time.Hour)
	}
	return limitedFor
}
