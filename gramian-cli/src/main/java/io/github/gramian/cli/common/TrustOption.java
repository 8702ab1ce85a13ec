package io.github.gramian.cli.common;

import picocli.CommandLine.Option;

/** The user's word that code in a TorchScript file may run; no command runs any without it. */
public final class TrustOption {

    @Option(
            names = "--trust-backbone-code",
            description = "Agree that the code of a TorchScript backbone runs, with your rights.")
    private boolean trusted;

    public boolean trusted() {
        return trusted;
    }
}
