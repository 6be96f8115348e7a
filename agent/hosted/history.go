package hosted

import (
	"context"
	"errors"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/versions"
)

func (u *Store) versions() *anthropic.BetaMemoryStoreMemoryVersionService {
	return &u.s.sdk.Beta.MemoryStores.MemoryVersions
}

// Versions lists versions, the newest first.
func (u *Store) Versions(ctx context.Context, q versions.HostedQuery, page string) (out versions.HostedVersions, err error) {
	params := anthropic.BetaMemoryStoreMemoryVersionListParams{View: anthropic.BetaManagedAgentsMemoryViewBasic}
	if q.Full {
		params.View = anthropic.BetaManagedAgentsMemoryViewFull
	}
	if q.Limit > 0 {
		params.Limit = anthropic.Int(int64(min(q.Limit, pageLimit)))
	}
	if q.Memory != "" {
		params.MemoryID = anthropic.String(string(q.Memory))
	}
	if !q.Since.IsZero() { // the SDK sends whole seconds
		params.CreatedAtGte = anthropic.Time(q.Since.UTC())
	}
	if !q.Until.IsZero() {
		params.CreatedAtLte = anthropic.Time(q.Until.UTC())
	}
	if page != "" {
		params.Page = anthropic.String(page)
	}
	err = u.s.try(ctx, false, func(bool) error {
		got, err := u.versions().List(ctx, u.id, params)
		if err != nil {
			return err
		}
		out = versions.HostedVersions{Next: got.NextPage}
		for i := range got.Data {
			v, err := versionOf(&got.Data[i])
			if err != nil {
				return err
			}
			out.Versions = append(out.Versions, v)
		}
		return nil
	})
	if errors.As(err, new(*missing)) { // either the store or the endpoint is missing
		if _, gone := u.About(ctx); gone != nil {
			return out, gone
		}
		return out, fmt.Errorf("%w (%v)", versions.ErrNoHistory, err)
	}
	return out, err
}

// Version returns a version with its content.
func (u *Store) Version(ctx context.Context, id versions.VersionID) (v versions.HostedVersion, err error) {
	params := anthropic.BetaMemoryStoreMemoryVersionGetParams{MemoryStoreID: u.id, View: anthropic.BetaManagedAgentsMemoryViewFull}
	err = u.s.try(ctx, false, func(bool) error {
		got, err := u.versions().Get(ctx, string(id), params)
		if err == nil {
			v, err = versionOf(got)
		}
		return err
	})
	return v, as(err, versions.ErrNoVersion)
}

// Redact erases a version. It is idempotent.
func (u *Store) Redact(ctx context.Context, id versions.VersionID) (v versions.HostedVersion, err error) {
	params := anthropic.BetaMemoryStoreMemoryVersionRedactParams{MemoryStoreID: u.id}
	err = u.s.try(ctx, true, func(bool) error {
		got, err := u.versions().Redact(ctx, string(id), params)
		if err == nil {
			v, err = versionOf(got)
		}
		return err
	})
	return v, as(err, versions.ErrNoVersion)
}

func versionOf(v *anthropic.BetaManagedAgentsMemoryVersion) (out versions.HostedVersion, err error) {
	out = versions.HostedVersion{ID: v.ID, Memory: v.MemoryID, Operation: versions.Operation(v.Operation), Path: v.Path, Size: v.ContentSizeBytes, Time: v.CreatedAt}
	out.By, out.Session = actorOf(&v.CreatedBy)
	if v.JSON.RedactedAt.Valid() {
		out.Redacted = v.RedactedAt
		out.RedactedBy, _ = actorOf(&v.RedactedBy)
	}
	if v.JSON.Content.Valid() {
		out.Content = []byte(v.Content)
	}
	if v.ContentSha256 != "" {
		if out.SHA256, err = versions.ParseHash(v.ContentSha256); err != nil {
			err = invalidResponse(err)
		}
	}
	return out, err
}

// actorOf returns an actor in the engine's form; the zero Actor if none was recorded.
func actorOf(a *anthropic.BetaManagedAgentsActorUnion) (versions.Actor, versions.SessionID) {
	switch a.Type {
	case "session_actor":
		return versions.Actor{Kind: versions.Agent, Name: a.SessionID}, versions.SessionID(a.SessionID)
	case "user_actor":
		return versions.Actor{Kind: versions.Person, Name: a.UserID}, ""
	case "api_actor":
		return versions.Actor{Kind: versions.APIKey, Name: a.APIKeyID}, ""
	case "service_account_actor":
		return versions.Actor{Kind: versions.ServiceAccount, Name: a.ServiceAccountID}, ""
	}
	return versions.Actor{}, ""
}
