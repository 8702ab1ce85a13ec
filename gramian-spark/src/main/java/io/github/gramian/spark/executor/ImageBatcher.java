package io.github.gramian.spark.executor;

import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.PreparedImage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects images and reads them together. An image is decoded and cut to the network's input as soon as it is added, so
 * that a batch takes batch · views · 12 · size² bytes whatever the images' own sizes. Not for several threads at once.
 */
public final class ImageBatcher {

    private final BatchPredictor predictor;
    private final ImageDecoder decoder;
    private final List<@Nullable PreparedImage> images = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();

    public ImageBatcher(ExecutorModel model, ImageLimits limits) {
        this.predictor = model.predictor();
        this.decoder = new ImageDecoder(limits);
    }

    /** Adds an image's file, whatever it holds. */
    public void add(byte[] content) {
        PreparedImage image = predictor.prepare(content, decoder);
        if (image.rejected().isPresent()) {
            reject(image.rejected().get().sentence());
        } else {
            images.add(image);
            reasons.add("");
        }
    }

    /** Adds the rejection of a file that is known not to be an image. */
    public void reject(String reason) {
        images.add(null);
        reasons.add(reason);
    }

    /** Results of the images, in the order in which they were added; the batcher is empty afterwards. */
    public List<Reading> read() {
        List<PreparedImage> wanted = new ArrayList<>();
        for (PreparedImage image : images) {
            if (image != null) {
                wanted.add(image);
            }
        }
        List<Reading> read = readAll(wanted);
        List<Reading> readings = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < images.size(); i++) {
            readings.add(images.get(i) == null ? Reading.rejected("", reasons.get(i)) : read.get(next++));
        }
        images.clear();
        reasons.clear();
        return readings;
    }

    /** Together; if that fails, one by one, so that an image that cannot be read takes no other with it. */
    private List<Reading> readAll(List<PreparedImage> wanted) {
        try {
            return predictor.read(wanted).stream().map(ImageBatcher::checked).toList();
        } catch (RuntimeException | OutOfMemoryError e) {
            if (wanted.size() == 1) {
                return List.of(Reading.rejected("", "the model cannot read it: " + Text.firstLine(e)));
            }
            List<Reading> apart = new ArrayList<>();
            for (PreparedImage image : wanted) {
                apart.addAll(readAll(List.of(image)));
            }
            return apart;
        }
    }

    private static Reading checked(Reading reading) {
        for (float number : reading.descriptor()) {
            if (!Float.isFinite(number)) {
                return Reading.rejected("", "its descriptor has values that are not finite");
            }
        }
        for (float number : reading.prediction().probabilities()) {
            if (!Float.isFinite(number)) {
                return Reading.rejected("", "its probabilities are not finite");
            }
        }
        return reading;
    }
}
