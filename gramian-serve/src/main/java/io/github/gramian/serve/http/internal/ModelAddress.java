package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import java.util.Optional;

/** Which model a request is for. */
record ModelAddress(String name, Optional<String> version) {

    /** From the query: {@code ?model=fabrics&version=2}; without it the first model. */
    static ModelAddress ofQuery(RequestContext context, ModelRepository models) {
        return new ModelAddress(context.query("model").orElse(models.defaultName()), context.query("version"));
    }

    Lease lease(ModelRepository models) {
        return models.lease(name, version);
    }

    /** Refuses an address that leads nowhere. Nothing is held: a slow sender must not keep a replaced model alive. */
    void require(ModelRepository models) {
        lease(models).close();
    }
}
