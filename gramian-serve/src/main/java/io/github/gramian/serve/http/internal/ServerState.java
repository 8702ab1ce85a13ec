package io.github.gramian.serve.http.internal;

/** Whether new requests should come here: ready until the server is asked to end, not while it drains. */
final class ServerState {

    private volatile boolean draining;

    boolean ready() {
        return !draining;
    }

    void drain() {
        draining = true;
    }
}
