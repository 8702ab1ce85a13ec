package io.github.gramian.feature.internal;

import io.github.gramian.tensor.Seed;
import java.util.Optional;

/** The images of another source; subclasses change what they override. */
public abstract class ForwardingSource implements BatchSource {

    private final BatchSource source;

    protected ForwardingSource(BatchSource source) {
        this.source = source;
    }

    @Override
    public int count() {
        return source.count();
    }

    @Override
    public int[] labels() {
        return source.labels();
    }

    @Override
    public int[] groups() {
        return source.groups();
    }

    @Override
    public boolean sharesGroups() {
        return source.sharesGroups();
    }

    @Override
    public boolean enoughToChoose() {
        return source.enoughToChoose();
    }

    @Override
    public int views() {
        return source.views();
    }

    @Override
    public Optional<PcaCache> components(int branch) {
        return source.components(branch);
    }

    @Override
    public Stream open(int[] order, int batchSize, Seed seed) {
        return source.open(order, batchSize, seed);
    }
}
