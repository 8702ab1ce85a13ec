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
 * A file that a backbone is made from: one of our weights files, from which nothing is executed, or a TorchScript program, which
 * runs only if its user has agreed.
 *
 * @param trusted whether the user agrees that code in the file runs with the rights of this process
 */
public record BackboneFile(Path path, boolean trusted) {

    /** Whether the file is a program. */
    public boolean isProgram() throws IOException {
        return TorchZipSource.holdsCode(path);
    }

    /**
     * The network of the file.
     *
     * @param size of the images that it will take, by which a program's layers are found out
     * @throws WeightsException if it is a program that is not trusted; nothing of it has run then
     */
    public Backbone load(BackboneOptions options, int size) throws IOException {
        if (!isProgram()) {
            return WeightsFile.load(path, options);
        }
        if (!trusted) {
            throw new WeightsException(
                    path + " is a TorchScript file: a program that would run with your rights. If you"
                            + " trust it as you trust a program, agree with --trust-backbone-code, or backbone.trustCode: true"
                            + " in a recipe; otherwise use a file made by: gramian weights import");
        }
        return TorchScriptBackbone.load(
                path,
                SourceHash.of(path),
                new TorchScriptBackbone.Interface(List.of(), Normalisation.TORCHVISION, size),
                options);
    }
}
