package hosted

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/versions"
)

// WaitForChange returns the state of the store's history once it differs from known, or after some
// seconds. Only memend's own server can wait, and not an old one: for others, WaitForChange returns
// versions.ErrNoWait and sends nothing. It sends one request and never repeats it.
func (u *Store) WaitForChange(ctx context.Context, known versions.Latest) (versions.Latest, error) {
	release := u.s.Release()
	if old := u.s.http.noWait.Load(); release == "" || old != nil && *old == release {
		return known, versions.ErrNoWait
	}
	var got struct {
		Type       string `json:"type"`
		Change     int64  `json:"change"`
		Redactions int64  `json:"redactions"`
	}
	err := u.s.sdk.Get(ctx, "v1/memory_stores/"+url.PathEscape(u.id)+"/change", nil, &got,
		option.WithQuery("change", strconv.FormatInt(known.Change, 10)), option.WithQuery("redactions", strconv.FormatInt(known.Redactions, 10)))
	var api *anthropic.Error
	if errors.As(err, &api) && api.StatusCode == http.StatusNotFound {
		u.s.http.noWait.Store(&release)
		return known, versions.ErrNoWait
	}
	if err != nil {
		return known, u.s.failure(err)
	}
	if got.Type != "memory_store_change" {
		return known, invalidResponse(errors.New("it does not say what has changed"))
	}
	return versions.Latest{Change: got.Change, Redactions: got.Redactions}, nil
}
