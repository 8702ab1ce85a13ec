package io.github.gramian.serve.http;

import io.github.gramian.serve.model.Lease;
import io.github.gramian.serve.model.ModelRepository;
import java.util.Optional;

/** Which model a request is for. */
record ModelAddress(String name, Optional<String> version) {

    /** As the query says: {@code ?model=fabrics&version=2}; without it the first model. */
    static ModelAddress ofQuery(Call call, ModelRepository models) {
        return new ModelAddress(call.query("model").orElse(models.defaultName()), call.query("version"));
    }

    Lease lease(ModelRepository models) {
        return models.lease(name, version);
    }

    /** Refuses an address that leads nowhere. Nothing is held: a slow sender must not keep a replaced model alive. */
    void require(ModelRepository models) {
        lease(models).close();
    }
}
