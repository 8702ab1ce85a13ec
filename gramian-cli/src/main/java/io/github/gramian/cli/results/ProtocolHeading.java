package io.github.gramian.cli.results;

import io.github.gramian.eval.EvaluationProtocol;

/** What a table is called: network, resolution and, unless it is only the centre, which views of an image are evaluated. */
final class ProtocolHeading {

    /** What {@code ViewsConfig.describe} puts before the crops of test images, which come last. */
    private static final String TEST_VIEWS = ", test ";

    private ProtocolHeading() {}

    static String of(EvaluationProtocol passport) {
        String heading = passport.backbone() + ", " + passport.resolution() + " px";
        String crops = passport.crops() == null ? "" : passport.crops();
        int views = crops.lastIndexOf(TEST_VIEWS);
        String evaluated = views < 0 ? "centre" : crops.substring(views + TEST_VIEWS.length());
        return evaluated.equals("centre") ? heading : heading + ", views: " + evaluated;
    }
}
