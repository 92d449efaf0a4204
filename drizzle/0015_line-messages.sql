-- The relay also takes `joined` and `left`, so companies may get messages about their lines.
CREATE OR REPLACE FUNCTION "note_unrelayed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM webhook_endpoints WHERE enabled) THEN RETURN NULL; END IF;
	INSERT INTO webhook_unrelayed (event_id, capacity_before, endpoint_ids)
	SELECT added.id, CASE kind WHEN 'resized' THEN (SELECT before.capacity FROM events AS before WHERE before.job_id = added.job_id AND before.number = added.number - 1) ELSE capacity END,
		enabled.ids
	FROM added CROSS JOIN LATERAL (
		SELECT array_agg(endpoint.id) AS ids FROM webhook_endpoints AS endpoint
		WHERE endpoint.company_id = added.company_id AND endpoint.enabled
	) AS enabled
	WHERE kind IN ('claimed', 'released', 'expired', 'resized', 'offered', 'accepted', 'declined', 'lapsed', 'joined', 'left') AND enabled.ids IS NOT NULL;
	RETURN NULL;
END $$;
