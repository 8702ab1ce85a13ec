package io.github.gramian.spark.index;

import io.github.gramian.similar.index.internal.PartsManifest;
import java.io.Serializable;

/**
 * The record of a complete part. A part exists once its record is there.
 *
 * @param number of the part in the plan
 * @param name of its directory
 * @param photographs number of photographs. If no row could be used, it is 0 and there is no directory
 * @param quarantined number of rows that could not be used
 * @param bytes of its files
 * @param checksum of its files
 */
record PartRecord(int number, String name, long photographs, long quarantined, long bytes, String checksum)
        implements Serializable {

    PartsManifest.Part listed(String table, String identity) {
        return new PartsManifest.Part(name, table, identity, photographs, quarantined, bytes, checksum);
    }
}
