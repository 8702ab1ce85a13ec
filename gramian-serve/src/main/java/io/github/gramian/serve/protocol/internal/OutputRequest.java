package io.github.gramian.serve.protocol.internal;

/**
 * An output that a request asks for.
 *
 * @param classification number of best classes to return as {@code value:index:label}; 0 to return all values
 * @param binary after the JSON instead of in it
 */
public record OutputRequest(OutputTensor tensor, int classification, boolean binary) {}
