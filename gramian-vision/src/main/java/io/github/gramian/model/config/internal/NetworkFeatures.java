package io.github.gramian.model.config.internal;

import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.model.config.NetworkConfig;

/** The features that a network's branches take from the backbone. */
public final class NetworkFeatures {

    private NetworkFeatures() {}

    /** One input per branch, in their order. */
    public static FeatureRequest of(NetworkConfig network) {
        return new FeatureRequest(network.branches().stream()
                .map(branch -> new FeatureRequest.Input(branch.tap(), branch.size()))
                .toList());
    }
}
