package io.tenfold.raid.md;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class MemberPlacesTest {
    @ParameterizedTest
    @CsvFileSource(resources = "choices.csv")
    void placesAreThoseThatMdadmChose(
            long memberBytes,
            long chunkKib,
            String version,
            String layout,
            int members,
            long size,
            long dataOffset,
            long dataSize,
            long superOffset,
            int logOffset) {
        long sectors = memberBytes / 512;
        long chunk = chunkKib * 2;
        MemberPlaces places = MemberPlaces.choose(version.charAt(2) - '0', sectors, sectors, chunk, -1);
        assertThat(places)
                .as("%d bytes, %d KiB, %s", memberBytes, chunkKib, version)
                .isEqualTo(new MemberPlaces(superOffset, logOffset, dataOffset, dataSize));
        assertThat(places.dataSize() / chunk * chunk)
                .as("layout=%s, members=%d", layout, members)
                .isEqualTo(size);
    }
}
