// Package gitsync keeps a store in step with a branch of a git repository. A change is a commit, and a commit is a change
// by its author. The real git does transport, credentials and objects, in a bare repository in the home; there is no
// working tree, so no filter, attribute or hook touches a byte.
//
// One [Sync] fetches, takes in, gives out and pushes:
//
//   - Take in: the new commits of the branch, parents first. Each is made by [versions.Store.TakeIn] on top of what stands
//     in the store, and is decided about as any change of its author. What conflicts or is held waits in the review queue.
//   - Give out: each change of the store that is not on the branch becomes a commit on top of the last one that the store
//     knew of. If the branch has moved on, a merge joins both. Its tree is exactly what stands in the store, but where a
//     change waits for a person: there it keeps the branch's text.
//   - Push, with force only if a person wants to rewrite the branch. If it has moved on meanwhile, all is done again.
//
// A commit of a change has trailers (Memend-…) with the change's id, actor, session, door and time, and with the message
// that memend gave it, which is none of the change. What was taken in is known by its commit. The id tells which change a
// commit is after a rebase, and keeps it the same when the branch is made anew; a commit that only has the message of
// another, trailers and all, is a change of its own, unless it does exactly the same.
//
// After a redaction, a branch is rewritten commit by commit: each stays, with its author, time and id and with all that is
// none of the store's, but without the erased texts. So who follows it misses nothing.
//
// What a redaction erased leaves no text, and no hash of it but the name of a commit of others that brought it, which is the
// session of its change. A commit that comes again, as from an old clone that somebody merged, is known by that or by the
// id of its change, and waits for a person; so does a merge that comes with it and takes its text. The same text in any
// other commit, or in a squash of several changes, is not known.
//
// The store's record of what it shares (versions.Branch) is written before a push, and with each change that is taken in:
// what is interrupted anywhere is done by the next Sync, and nothing twice. What each fetch found there that is not here is
// recorded too (versions.BranchState), so that others can say it without a look at the repository.
//
// The errors are those of versions and of git, in git's own words; a [RewrittenError] says that the branch lost commits.
package gitsync
