package io.github.gramian.cli.common;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --trust-backbone-code}: the user's word that code in a TorchScript file may run; none runs without it. */
public final class TrustOption {

    @Option(
            names = "--trust-backbone-code",
            description = "Allow executing TorchScript code (it runs with your privileges).")
    private boolean trusted;

    public boolean trusted() {
        return trusted;
    }

    /** As a recipe's {@code backbone.trustCode}: null without the option, so that the recipe's setting applies. */
    public @Nullable Boolean setting() {
        return trusted ? Boolean.TRUE : null;
    }
}
