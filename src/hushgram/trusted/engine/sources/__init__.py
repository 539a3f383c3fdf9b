"""Where rows come from: files, frames, streams, servers, counts."""
