package io.tenfold.cli;

import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArrayReport;
import io.tenfold.raid.BitmapReport;
import io.tenfold.raid.Examination;
import io.tenfold.raid.Geometry;
import io.tenfold.raid.Layout;
import io.tenfold.raid.LeftOut;
import io.tenfold.raid.MemberReport;
import io.tenfold.raid.Refusal;
import io.tenfold.raid.Superblock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reports as JSON. Sizes and addresses are bytes, times ISO 8601; a name that is once given is kept, and {@code "format"}
 * counts the changes that break this.
 */
final class ReportJson {
    private static final int FORMAT = 1;
    private static final long SECTOR = 512;

    private ReportJson() {}

    /** All that was found. */
    static Map<String, Object> of(Examination examination) {
        return Json.object(
                "format", FORMAT,
                "members",
                        examination.members().stream().map(ReportJson::member).toList(),
                "arrays", examination.arrays().stream().map(ReportJson::array).toList());
    }

    private static Map<String, Object> member(MemberReport member) {
        return Json.object(
                "path", member.name(),
                "partition", member.partition() == 0 ? null : member.partition(),
                "isMember", member.isMember(),
                "superblock", member.superblock().map(ReportJson::superblock).orElse(null),
                "bitmap", member.bitmap().map(ReportJson::bitmap).orElse(null),
                "badRanges",
                        member.badRanges().stream()
                                .map(range -> Json.object("offset", range.startBytes(), "length", range.lengthBytes()))
                                .toList(),
                "problems", member.problems(),
                "warnings", member.warnings(),
                "findings", member.findings());
    }

    private static Map<String, Object> superblock(Superblock superblock) {
        return Json.object(
                "version", superblock.version(),
                "offset", superblock.superOffsetSectors() * SECTOR,
                "arrayUuid", superblock.arrayUuid().toString(),
                "deviceUuid", superblock.deviceUuid().map(Object::toString).orElse(null),
                "name", superblock.name(),
                "created", Times.iso(superblock.createdMicros()),
                "updated", Times.iso(superblock.updatedMicros()),
                "events", superblock.events(),
                "level", MemberText.levelName(superblock.level()),
                "layout", superblock.layout().map(Layout::toString).orElse(null),
                "chunk", superblock.chunkSectors() * SECTOR,
                "raidDevices", superblock.raidDisks(),
                "usedSize", superblock.sizeSectors() * SECTOR,
                "dataOffset", superblock.dataOffsetSectors() * SECTOR,
                "dataSize", superblock.dataSizeSectors() * SECTOR,
                "featureMap", superblock.featureMap(),
                "clean", superblock.isClean(),
                "role", MemberText.role(superblock, superblock.ownRole()),
                "slot", superblock.isActive(superblock.ownRole()) ? superblock.ownRole() : null,
                "arrayState", superblock.arrayState(),
                "checksumCorrect", superblock.storedChecksum() == superblock.computedChecksum());
    }

    private static Map<String, Object> bitmap(BitmapReport bitmap) {
        return Json.object(
                "events", bitmap.events(),
                "chunk", bitmap.chunkBytes(),
                "chunks", bitmap.bits(),
                "dirty", bitmap.dirty() < 0 ? null : bitmap.dirty(),
                "problems", bitmap.problems());
    }

    /** One array. */
    static Map<String, Object> array(ArrayReport report) {
        Map<String, Object> array = new LinkedHashMap<>();
        array.put("uuid", report.uuid().toString());
        array.put("name", report.name());
        array.put("assembles", report.plan().isPresent());
        report.plan().ifPresent(plan -> array.putAll(plan(plan)));
        array.put("leftOut", report.leftOut().stream().map(ReportJson::leftOut).toList());
        array.put("refusal", report.refusal().map(ReportJson::refusal).orElse(null));
        return array;
    }

    private static Map<String, Object> plan(ArrayPlan plan) {
        return Json.object(
                "version", plan.version(),
                "level", MemberText.levelName(plan.level()),
                "layout", plan.geometry().layout().toString(),
                "raidDevices", plan.geometry().members(),
                "chunk", plan.geometry().chunkBytes(),
                "size", plan.sizeBytes(),
                "events", plan.events(),
                "clean", plan.isClean(),
                "degraded", plan.degraded(),
                "missingSlots", plan.missing(),
                "needsRun", plan.needsRun(),
                "writable", plan.isWritable(),
                "whyReadOnly", plan.whyReadOnly(),
                "slots", plan.members().stream().map(ReportJson::slot).toList(),
                "spares", plan.spares().stream().map(MemberReport::name).toList(),
                "reshape", plan.reshape().map(ReportJson::reshape).orElse(null),
                "notes", plan.notes());
    }

    private static Map<String, Object> slot(ArrayPlan.Member member) {
        return Json.object(
                "slot", member.role(),
                "path", member.report().name(),
                "inSync", member.isInSync(),
                "recovered", member.isInSync() ? null : member.recoveredBytes(),
                "replacement", member.replacement());
    }

    private static Map<String, Object> reshape(ArrayPlan.Reshape reshape) {
        Geometry geometry = reshape.geometry();
        return Json.object(
                "layout", geometry.layout().toString(),
                "raidDevices", geometry.members(),
                "chunk", geometry.chunkBytes(),
                "position", reshape.positionBytes(),
                "backwards", reshape.backwards());
    }

    private static Map<String, Object> leftOut(LeftOut out) {
        return Json.object(
                "path", out.member().name(),
                "reason", out.reason().name().toLowerCase(Locale.ROOT),
                "slot", out.role() < 0 ? null : out.role(),
                "text", out.text());
    }

    private static Map<String, Object> refusal(Refusal refusal) {
        List<String> hints = refusal.hints();
        return Json.object("message", refusal.message(), "detail", refusal.detail(), "hints", hints);
    }
}
