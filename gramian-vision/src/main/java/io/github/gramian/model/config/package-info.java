/**
 * What a network is made of, as records that check themselves and build their layers, and their JSON. An {@link
 * io.github.gramian.model.config.Aggregator} of your own joins them through {@code META-INF/services}.
 */
@NullMarked
package io.github.gramian.model.config;

import org.jspecify.annotations.NullMarked;
