package script

import (
	"fmt"
	"net/http"
)

// refusal is an error response of the API.
type refusal struct {
	status  int
	kind    string
	message string
}

func invalid(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, args...)}
}

// body returns the error in the API's form, which is the same within a stream.
func (r refusal) body() map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": r.kind, "message": r.message}, "request_id": requestID}
}

func (r refusal) write(w http.ResponseWriter) { writeJSON(w, r.status, r.body()) }

// checkHeaders checks the credentials and the version of a request.
func checkHeaders(h http.Header) *refusal {
	if h.Get("authorization") == "" && h.Get("x-api-key") == "" {
		return &refusal{http.StatusUnauthorized, "authentication_error", "x-api-key header is required"}
	}
	switch v := h.Get("anthropic-version"); v {
	case versionOld, versionNew:
		return nil
	case "":
		return invalid("anthropic-version: header is required")
	default:
		return invalid("anthropic-version: %q is not a valid version", v)
	}
}

// The supported versions of the API.
const (
	versionOld = "2023-06-01"
	versionNew = "2026-10-21"
)
