package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.backbone.BackboneOptions;
import io.github.gramian.backbone.TorchScriptBackbone;
import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.image.Normalisation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A file that a backbone is made from: one of our weights files, from which nothing is executed, or a TorchScript file, whose
 * code runs only if the user has allowed it.
 *
 * @param trusted whether the user allows code in the file to run with the privileges of this process
 */
public record BackboneFile(Path path, boolean trusted) {

    /** Whether the file contains a scripted module. */
    public boolean isScripted() throws IOException {
        return TorchSource.holdsCode(path);
    }

    /**
     * The network of the file.
     *
     * @param size of the images that it will take; the layers of a scripted module are found with it
     * @throws WeightsException if it is a scripted module that is not trusted; none of its code has run then
     */
    public Backbone load(BackboneOptions options, int size) throws IOException {
        if (!isScripted()) {
            return WeightsFile.load(path, options);
        }
        if (!trusted) {
            throw new WeightsException(
                    path + " is a TorchScript file, which contains code that runs with your privileges. If you"
                            + " trust it, allow it with --trust-backbone-code, or with backbone.trustCode: true"
                            + " in a recipe; otherwise use a file made by: gramian weights import");
        }
        return TorchScriptBackbone.load(
                path,
                SourceHash.of(path),
                new TorchScriptBackbone.Interface(List.of(), Normalisation.TORCHVISION, size),
                options);
    }
}
