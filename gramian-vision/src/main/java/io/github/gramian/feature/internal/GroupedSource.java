package io.github.gramian.feature.internal;

/** Images of which some belong together, such as photographs of one object. */
public final class GroupedSource extends ForwardingSource {

    private final int[] groups;

    /** @param groups the number of the group of each image, the same in all sources of a dataset */
    public GroupedSource(BatchSource source, int[] groups) {
        super(source);
        if (groups.length != source.count()) {
            throw new IllegalArgumentException("one group per image is needed");
        }
        this.groups = groups;
    }

    @Override
    public int[] groups() {
        return groups;
    }

    @Override
    public boolean sharesGroups() {
        return true;
    }
}
