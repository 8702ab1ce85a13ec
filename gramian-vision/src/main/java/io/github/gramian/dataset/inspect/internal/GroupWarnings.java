package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import java.util.ArrayList;
import java.util.List;

/** Warnings about the groups of a dataset: groups on both sides of a split, and groups that change nothing. */
final class GroupWarnings {

    private GroupWarnings() {}

    static List<String> of(Dataset dataset) {
        DividedDataset divided = DividedDataset.of(dataset);
        Groups groups = divided.listing().groups();
        List<String> warnings = new ArrayList<>();
        List<Groups.Divided> cut = groups.divided(divided.partition());
        if (!cut.isEmpty()) {
            warnings.add((cut.size() == 1 ? "1 group has" : cut.size() + " groups have")
                    + " images for training and for testing, such as '"
                    + cut.get(0).group() + "' with "
                    + cut.get(0).seen().path() + " and " + cut.get(0).test().path()
                    + "; the test accuracy will be too high. Divide the images by group");
        }
        if (!groups.given()) {
            return warnings;
        }
        int named = groups.names().size();
        int all = dataset.samples().size();
        if (groups.count(dataset.samples()) == named) {
            warnings.add("no two images have the same group by " + groups.source() + ", so groups change nothing");
        }
        if (named < all) {
            warnings.add((all - named) + " of " + all + " images have no group by " + groups.source()
                    + "; each of them stands alone");
        }
        return warnings;
    }
}
