/**
 * Where images lie on a cluster, before anything is computed: tar files in WebDataset's layout, Parquet files, folders. The
 * first package on an image's way through Spark: {@link io.github.gramian.spark.shard.Shard} is what one task reads, image
 * by image, never holding more than one of them; {@link io.github.gramian.spark.shard.Packer} makes shards of loose files.
 */
@NullMarked
package io.github.gramian.spark.shard;

import org.jspecify.annotations.NullMarked;
