package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.image.internal.ImageTitle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Names a file that was given in place of a weights file, and what to do with it. */
public final class OtherFile {

    private OtherFile() {}

    /** An error for a directory or a file in another format; empty for a safetensors file and for unknown content. */
    public static Optional<WeightsException> recognise(Path path) throws IOException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        Optional<String> image = ImageTitle.of(path);
        if (image.isPresent()) {
            return Optional.of(new WeightsException(
                    path + " is " + image.get() + ", not a weights file; give a file made by: gramian weights import"));
        }
        if (Files.isDirectory(path) && !Files.exists(path.resolve("model.json"))) {
            return Optional.of(new WeightsException(
                    path + " is a directory, not a weights file; give a file made by: gramian weights import"));
        }
        return SourceFormat.recognise(path)
                .filter(format -> format != SourceFormat.SAFETENSORS)
                .map(format -> new WeightsException(path + " is not a weights file of Gramian (its format is: "
                        + format.title() + "); convert it with: gramian weights import " + path
                        + " --as NAME --out FILE.safetensors"));
    }
}
