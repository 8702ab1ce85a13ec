package io.github.gramian.spark.job;

/**
 * The record of a complete wave.
 *
 * @param wave its number, from 0
 * @param described number of rows with results
 * @param quarantined number of rows with reasons
 * @param startedAt when the wave was started, milliseconds since 1970
 * @param committedAt when it was complete, milliseconds since 1970
 */
public record WaveCommit(int wave, long described, long quarantined, long startedAt, long committedAt) {}
