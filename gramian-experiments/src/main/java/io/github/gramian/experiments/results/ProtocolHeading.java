package io.github.gramian.experiments.results;

import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.experiments.grid.ResultTable;
import java.util.List;

/** Heading of a table: network, resolution and, unless it is only the centre, the evaluated views of an image. */
final class ProtocolHeading {

    /** Prefix of the crops of test images, which come last, in {@code ViewsConfig.describe}. */
    private static final String TEST_VIEWS = ", test ";

    private ProtocolHeading() {}

    static String of(EvaluationProtocol protocol) {
        String heading = protocol.backbone() + ", " + protocol.resolution() + " px";
        String crops = protocol.crops() == null ? "" : protocol.crops();
        int views = crops.lastIndexOf(TEST_VIEWS);
        String evaluated = views < 0 ? "centre" : crops.substring(views + TEST_VIEWS.length());
        return evaluated.equals("centre") ? heading : heading + ", views: " + evaluated;
    }

    /**
     * The heading of a table among all of its dataset. Two may differ only in how their networks were trained or images
     * decoded; one that holds a single grid then names it.
     */
    static String of(ResultTable table, List<ResultTable> all) {
        String heading = of(table.protocol());
        List<String> grids = table.grids();
        long alike = all.stream()
                .filter(other -> of(other.protocol()).equals(heading))
                .count();
        return alike > 1 && grids.size() == 1 ? heading + ", grid " + grids.get(0) : heading;
    }
}
