package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.Optional;

/** Decides whether a request may use its route: where it comes from, and its key. Health checks always may. */
record Admission(RequestSources sources, Optional<ApiKeys> keys) {

    void check(RequestContext context, Routes.Route route) {
        if (route.isHealth()) {
            return;
        }
        sources.check(context);
        if (keys.isPresent() && !route.open()) {
            context.noteKey(keys.get()
                    .nameFor(context)
                    .orElseThrow(() -> new RequestException(
                            401, "this needs a key; send it as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'")));
        }
    }
}
