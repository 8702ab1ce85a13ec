package io.github.gramian.cli.report;

import io.github.gramian.GramianException;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where the model looked in misclassified images, for the class that it predicted and for the true one.
 *
 * @param pairs maps by the name of the image; images beyond the first few have none
 */
record MistakeMaps(Map<String, Pair> pairs) {

    /** Two maps of about 4 kB each per mistake: enough to see a pattern, and less than 100 kB in the page. */
    private static final int MAX_MISTAKES = 8;

    private static final int SIDE = 112;

    /** The two maps of an image, as addresses that carry the picture themselves. */
    record Pair(String predicted, String truth) {}

    /** Nothing if the run has no model, or none that can be explained on this machine: the report does without. */
    static MistakeMaps read(Path run, String root, Mistakes mistakes) {
        Path model = new RunFolder(run).model();
        if (mistakes.mostConfident().isEmpty() || !Files.isRegularFile(model)) {
            return new MistakeMaps(Map.of());
        }
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            return new MistakeMaps(Explainer.of(predictor)
                    .map(explainer -> pairs(predictor, explainer, new Thumbnails(root), mistakes))
                    .orElse(Map.of()));
        } catch (IOException | GramianException | LinkageError e) {
            return new MistakeMaps(Map.of());
        }
    }

    private static Map<String, Pair> pairs(
            BatchPredictor predictor, Explainer explainer, Thumbnails files, Mistakes mistakes) {
        Map<String, Pair> pairs = new HashMap<>();
        int classes = predictor.classes().size();
        for (PredictionsFile.Line mistake :
                mistakes.mostConfident().stream().limit(MAX_MISTAKES).toList()) {
            Optional<PreparedImage> image = files.file(mistake.id())
                    .filter(Files::isRegularFile)
                    .map(predictor::prepare)
                    .filter(prepared -> prepared.rejected().isEmpty());
            if (image.isPresent() && mistake.predicted() < classes && mistake.truth() < classes) {
                List<Explanation> both = explainer.explain(image.get(), List.of(mistake.predicted(), mistake.truth()));
                pairs.put(mistake.id(), new Pair(address(both.get(0)), address(both.get(1))));
            }
        }
        return pairs;
    }

    private static String address(Explanation explanation) {
        BufferedImage whole = WhereOverlay.paint(explanation);
        double factor = SIDE / (double) Math.max(whole.getWidth(), whole.getHeight());
        int width = (int) Math.max(1, Math.round(factor * whole.getWidth()));
        int height = (int) Math.max(1, Math.round(factor * whole.getHeight()));
        BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D pen = small.createGraphics();
        try {
            pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            pen.drawImage(whole, 0, 0, width, height, null);
        } finally {
            pen.dispose();
        }
        return Thumbnails.dataAddress(small, "jpeg").orElse("");
    }
}
