package io.github.gramian.cli;

import io.github.gramian.cli.common.InstalledEngine;
import io.github.gramian.io.internal.GramianVersion;
import java.util.Arrays;
import java.util.stream.Stream;
import picocli.CommandLine.IVersionProvider;

/** {@code gramian --version}: what a bug report needs, without starting an engine. */
final class VersionLines implements IVersionProvider {

    @Override
    public String[] getVersion() {
        Stream<String> own = Stream.of(
                "gramian " + GramianVersion.text() + " (commit " + GramianVersion.commit() + ")",
                "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                        + System.getProperty("os.arch"));
        return Stream.concat(own, Arrays.stream(InstalledEngine.values()).map(InstalledEngine::line))
                .toArray(String[]::new);
    }
}
