package io.github.gramian.train;

import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Copies of all values of a network at one moment. They never change, whatever happens to the network afterwards. */
final class ModelSnapshot implements AutoCloseable {

    private final List<Tensor> values = new ArrayList<>();

    private ModelSnapshot() {}

    static ModelSnapshot of(Network network) {
        ModelSnapshot snapshot = new ModelSnapshot();
        try (Scope scope = Scope.open()) {
            network.parameters()
                    .forEach(one -> snapshot.values.add(Scope.own(one.value().clone())));
        }
        return snapshot;
    }

    /** Gives a network of the same shape the values of the snapshot. */
    void restore(Network network) {
        for (int i = 0; i < values.size(); i++) {
            network.parameters().get(i).assign(values.get(i));
        }
    }

    @Override
    public void close() {
        values.forEach(Scope::disown);
        values.clear();
    }
}
