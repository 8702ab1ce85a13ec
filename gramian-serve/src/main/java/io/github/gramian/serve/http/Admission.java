package io.github.gramian.serve.http;

import io.github.gramian.serve.protocol.RequestException;
import java.util.Optional;

/** Decides whether a request may use its route: where it comes from, and its key. Health checks always may. */
record Admission(RequestSources sources, Optional<ApiKeys> keys) {

    void check(Call call, Routes.Route route) {
        if (route.isHealth()) {
            return;
        }
        sources.check(call);
        if (keys.isPresent() && !route.open()) {
            call.noteKey(keys.get()
                    .nameFor(call)
                    .orElseThrow(() -> new RequestException(
                            401, "this needs a key; send it as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'")));
        }
    }
}
