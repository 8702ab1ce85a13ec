package io.github.gramian.serve.protocol.internal;

/**
 * An output that a request asks for.
 *
 * @param classification so many best classes as {@code value:index:label} instead of the numbers; 0 for the numbers
 * @param binary after the JSON instead of in it
 */
public record OutputRequest(OutputTensor tensor, int classification, boolean binary) {}
